/** Where commands run, what they may read and reach, and how much is done unasked. */
import { SettingGroup } from "../one/group.js";

export function Sandbox() {
  return <SettingGroup names={["mode", "sandbox", "sandbox_read", "network_private"]} />;
}
