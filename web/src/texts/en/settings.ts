/** Words of the settings. */
export const settings = {
  parts: {
    keys: { name: "Keys", about: "Keys of model providers. A key goes in and never comes out again." },
    models: { name: "Models", about: "Which model answers, and what providers offer." },
    agents: { name: "Agents", about: "Who can be chosen for a session." },
    instructions: { name: "Instructions", about: "What every agent is told besides its own prompt." },
    rules: { name: "Rules", about: "What is allowed, asked for or denied." },
    sandbox: { name: "Sandbox and network", about: "Where commands run, and what they reach." },
    limits: { name: "Limits", about: "How far an exchange may go, and what all of them may cost." },
    appearance: { name: "Appearance", about: "How this browser shows the studio." },
    data: { name: "My data", about: "Take everything along, or delete it." },
    browsers: { name: "Signed-in browsers", about: "What proves to be you." },
    workers: { name: "Workers", about: "The processes that run sessions." },
    about: { name: "About", about: "This server." },
  },
};
