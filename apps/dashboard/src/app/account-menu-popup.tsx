import { Menu } from "@base-ui/react/menu";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Check, LogOut, Monitor, Moon, Settings, Sun } from "lucide-react";
import { useState } from "react";
import { sessionQuery } from "../api/queries.ts";
import { send, showAccount } from "../api/request.ts";
import { AccountName } from "./account-menu.tsx";
import { useLeaveAccount } from "./use-leave-account.ts";

/** What a reader can choose. `system` follows the operating system. */
const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

/** Returns the chosen theme. */
function readTheme(root: HTMLElement): Theme {
  const chosen = root.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

/** Applies a theme at once and stores it for the next visit. */
function writeTheme(root: HTMLElement, theme: Theme): void {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}

const looks = {
  system: { icon: Monitor, label: "System theme" },
  light: { icon: Sun, label: "Light theme" },
  dark: { icon: Moon, label: "Dark theme" },
};

/** The account's menu: theme, settings, sign out. It is open when it is first rendered: see `AccountMenu`. */
export function AccountMenuPopup() {
  const email = useQuery(sessionQuery).data?.email ?? "";
  const navigate = useNavigate();
  const leaveAccount = useLeaveAccount();
  const [theme, setTheme] = useState(() => readTheme(document.documentElement));
  const choose = (next: Theme) => {
    writeTheme(document.documentElement, next);
    setTheme(next);
  };
  const signOut = async () => {
    // Whichever account is signed in now, its reader wants to leave.
    showAccount(undefined);
    await send("POST", "auth/sign-out", {}).catch(() => undefined);
    await leaveAccount();
  };
  return (
    <Menu.Root modal={false} defaultOpen>
      <Menu.Trigger className="account-trigger">
        <AccountName email={email} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="popup-positioner" side="top" sideOffset={6}>
          <Menu.Popup className="popup account-popup">
            <Menu.RadioGroup value={theme} onValueChange={choose}>
              {themes.map((name) => {
                const { icon: Icon, label } = looks[name];
                return (
                  <Menu.RadioItem key={name} value={name} className="popup-item" closeOnClick={false}>
                    <Icon aria-hidden="true" />
                    {label}
                    <Menu.RadioItemIndicator className="end">
                      <Check aria-hidden="true" />
                    </Menu.RadioItemIndicator>
                  </Menu.RadioItem>
                );
              })}
            </Menu.RadioGroup>
            <Menu.Separator className="popup-separator" />
            <Menu.Item className="popup-item" onClick={() => void navigate({ to: "/settings" })}>
              <Settings aria-hidden="true" />
              Settings
            </Menu.Item>
            <Menu.Item className="popup-item" onClick={() => void signOut()}>
              <LogOut aria-hidden="true" />
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
