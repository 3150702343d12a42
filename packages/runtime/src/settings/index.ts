export { configurationDocument } from "./documentation.ts";
export { limitSettings, limitsOf } from "./limits.ts";
export {
  exitOnSettingsError,
  providerSettings,
  readSettings,
  type SettingName,
  type Settings,
  SettingsError,
  settingNames,
} from "./read-settings.ts";
