import assert from "node:assert/strict";
import { test } from "node:test";
import { type Environment, findDataHome, foldersUpwards, homeFolder, userConfigFile } from "./paths.ts";

const unix = { HOME: "/home/ada" };
const windows = { USERPROFILE: "C:\\Users\\ada" };
const own = "/home/ada/Library/Application Support/spillway";

type Case = { name: string; platform: NodeJS.Platform; env: Environment; config: string; data: string };

const cases: readonly Case[] = [
  {
    name: "Linux",
    platform: "linux",
    env: unix,
    config: "/home/ada/.config/spillway/config.jsonc",
    data: "/home/ada/.local/share/spillway",
  },
  {
    name: "Linux with XDG variables",
    platform: "linux",
    env: { ...unix, XDG_CONFIG_HOME: "/etc/ada", XDG_DATA_HOME: "/srv/ada" },
    config: "/etc/ada/spillway/config.jsonc",
    data: "/srv/ada/spillway",
  },
  {
    name: "Linux with relative or empty XDG variables",
    platform: "linux",
    env: { ...unix, XDG_CONFIG_HOME: "etc", XDG_DATA_HOME: "" },
    config: "/home/ada/.config/spillway/config.jsonc",
    data: "/home/ada/.local/share/spillway",
  },
  { name: "macOS", platform: "darwin", env: unix, config: `${own}/config.jsonc`, data: own },
  {
    name: "macOS with an XDG variable",
    platform: "darwin",
    env: { ...unix, XDG_CONFIG_HOME: "/home/ada/.config" },
    config: "/home/ada/.config/spillway/config.jsonc",
    data: own,
  },
  {
    name: "Windows",
    platform: "win32",
    env: { ...windows, APPDATA: "D:\\Roaming", LOCALAPPDATA: "D:\\Local" },
    config: "D:\\Roaming\\spillway\\config.jsonc",
    data: "D:\\Local\\spillway",
  },
  {
    name: "Windows without its variables",
    platform: "win32",
    env: windows,
    config: "C:\\Users\\ada\\AppData\\Roaming\\spillway\\config.jsonc",
    data: "C:\\Users\\ada\\AppData\\Local\\spillway",
  },
];

for (const { name, platform, env, config, data } of cases) {
  test(`${name} has its own places`, () => {
    assert.equal(userConfigFile({ env, platform, homeDir: homeFolder(env, platform) }), config);
    assert.equal(findDataHome(null, env, platform), data);
  });
}

test("the setting home is the data folder on every platform", () => {
  assert.equal(findDataHome("/srv/spillway", unix, "linux"), "/srv/spillway");
  assert.equal(findDataHome("/srv/spillway", unix, "darwin"), "/srv/spillway");
});

test("a user without a home folder has no config file of their own", () => {
  assert.equal(userConfigFile({ env: {}, platform: "linux", homeDir: undefined }), undefined);
});

test("folders are walked upwards to the home, or to the root where the home is elsewhere", () => {
  const walk = (cwd: string, homeDir: string) => [...foldersUpwards(cwd, { env: {}, platform: "linux", homeDir })];
  assert.deepEqual(walk("/home/ada/a/b", "/home/ada"), ["/home/ada/a/b", "/home/ada/a", "/home/ada"]);
  assert.deepEqual(walk("/srv/a/", "/home/ada"), ["/srv/a", "/srv", "/"]);
  assert.deepEqual(walk("/home/ada", "/home/ada"), ["/home/ada"]);
});
