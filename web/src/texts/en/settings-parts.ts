/** Words of the settings: keys, models, agents, rules. */
import { dollars } from "../figures.js";

export const keys = {
  add: "Add a key",
  yours: "Keys that are there",
  none: "No key is set. The guide answers all the same.",
  here: "Model servers on this machine",
  hereAbout: "They need no key, or one of your own.",
  key: "Key",
  keyAbout: "Paste it. It is tried at the provider, then kept on this server, and never shown again.",
  provider: "Provider",
  choose: "Choose whose key it is",
  testAndKeep: "Test and keep",
  keepAnyway: "Keep it all the same",
  test: "Test",
  delete: "Delete",
  deleteIt: (name: string) => `Delete the key of ${name}?`,
  deleteWhat: "It is removed from this server. At the provider it stays good.",
  deleted: (name: string) => `The key of ${name} is deleted.`,
  added: (name: string) => `The key of ${name} is kept.`,
  inEnvironment: (variable: string) => `Found in the environment: ${variable}.`,
  kept: (when: string, destination: string) => `Kept here since ${when}, and sent to ${destination} only.`,
  wins: "The one in the environment wins.",
  works: (models: number) => `It works: ${models} ${models === 1 ? "model" : "models"} on offer.`,
  suggested: (name: string, input: number | null, output: number | null) =>
    `To begin with: ${name}, ${dollars(input, output)} for a million tokens in and out.`,
};

export const models = {
  chosen: (why: string) => `answers in new sessions: ${why}`,
  offered: "On offer",
  renew: "Ask the providers anew",
  none: "No provider is set up yet. Add a key first.",
  more: "More",
  count: (n: number) => (n === 1 ? "1 model" : `${n} models`),
  notAsked: "could not be asked",
  name: "Model",
  window: "Window",
  price: "In / out, per million tokens",
};

export const agents = {
  all: "All agents",
  create: "New agent",
  edit: "Edit",
  copy: "Copy",
  isDefault: "default",
  origins: { program: "Of a program", own: "Your own", house: "Of the house" },
  sessionModel: "the session's model",
  allTools: "all tools",
  tools: (n: number) => (n === 1 ? "1 tool" : `${n} tools`),
  broken: "It cannot be used.",
  editIt: (slug: string) => `Agent ${slug}`,
  toml: "An agent is a file: name, description, type, system_prompt, and what it may do.",
  slug: "Name to choose it by",
  slugAbout: "Small letters, digits and dashes.",
  text: "The agent as TOML",
  check: "Check",
  wrong: "It cannot be used like this.",
  fine: "It can be used.",
  saved: (slug: string) => `${slug} is saved.`,
  deleted: (slug: string) => `${slug} is deleted.`,
  delete: "Delete",
  reallyDelete: "Really delete it",
  begin:
    'name = "My agent"\ndescription = "What it is good for, in a sentence."\ntype = "IterativeAgent"\nsystem_prompt = """\nYou …\n\n{mode_instructions}\n"""\n',
};

interface Rule {
  tool?: string;
  path?: string;
  command?: string;
  url?: string;
  network?: boolean;
}

export const rules = {
  explained:
    "Each call of a tool is held against this list, from the first to the last. The last rule that fits counts; where none fits, the session's mode decides.",
  none: "There are no rules: the mode of each session decides alone.",
  add: "Add a rule",
  editIt: "Change the rule",
  deleted: "The rule is deleted.",
  verdict: "Then",
  verdicts: { allow: "Allow", ask: "Ask", deny: "Deny" },
  verdictsLong: { allow: "Allow it", ask: "Ask me", deny: "Deny it" },
  tool: "Tool",
  toolAbout: "A tool's name; * stands for any part. Empty: every tool.",
  about: "About",
  abouts: { any: "Whatever it does", path: "A path", command: "A command", url: "An address" },
  patterns: { path: "Path", command: "Command", url: "Address" },
  patternAbout: {
    path: "As src/** or *.env, from the project.",
    command: "As git status or npm run *; * stands for any arguments.",
    url: "As https://example.org/*.",
  },
  network: "With network",
  networkAbout:
    "About calls that ask for the network. A command that does is allowed by no rule without this.",
  up: (place: number) => `Move rule ${place} up`,
  down: (place: number) => `Move rule ${place} down`,
  edit: (place: number) => `Change rule ${place}`,
  delete: (place: number) => `Delete rule ${place}`,
  said: ({ tool, path, command, url, network }: Rule) =>
    [tool || "every tool", path || command || url, network ? "with network" : ""].filter(Boolean).join("  "),
};
