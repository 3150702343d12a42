export { configurationDocument } from "./documentation.ts";
export {
  exitOnSettingsError,
  limitSettings,
  limitsOf,
  providerSettings,
  readSettings,
  type SettingName,
  type Settings,
  SettingsError,
  settingNames,
} from "./read-settings.ts";
