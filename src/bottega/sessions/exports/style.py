"""How an exported page looks: one accent, two grounds, the person's words on a thin rule."""

STYLE = """\
:root {
  color-scheme: light dark;
  --ground: #faf8f5; --sunken: #f2eee8; --line: #ddd6cc;
  --ink: #1f1b16; --ink-2: #5c544a; --ink-3: #736a5f;
  --accent: #a8431b; --good: #2a6656; --care: #7d5200; --bad: #ae241c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #171512; --sunken: #12100e; --line: #3a342d;
    --ink: #ede7de; --ink-2: #b8ae9f; --ink-3: #9a9082;
    --accent: #ec9067; --good: #74c3ac; --care: #e3b865; --bad: #f28f85;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 48px 20px 64px; background: var(--ground); color: var(--ink);
  font: 16px/1.6 ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  overflow-wrap: anywhere;
}
main, footer { max-width: 45rem; margin: 0 auto; }
header { border-bottom: 1px solid var(--line); margin-bottom: 32px; padding-bottom: 16px; }
header h1 { font-size: 28px; line-height: 1.25; margin: 0 0 8px; }
header p, footer { color: var(--ink-3); font-size: 13px; margin: 0; }
footer { border-top: 1px solid var(--line); margin: 48px auto 0; padding-top: 16px; }
.you { border-left: 2px solid var(--accent); margin: 40px 0 24px; padding: 2px 0 2px 16px; }
.you h2 { color: var(--accent); font-size: 13px; line-height: 1.5; margin: 0 0 4px; }
.you h2 time { color: var(--ink-3); font-weight: normal; margin-left: 8px; }
.you div { white-space: pre-wrap; }
.agent { margin: 16px 0; }
.agent > :first-child { margin-top: 0; }
.agent > :last-child { margin-bottom: 0; }
.agent h1, .agent h2, .agent h3, .agent h4 { line-height: 1.3; margin: 28px 0 8px; }
.agent h1 { font-size: 22px; } .agent h2 { font-size: 20px; } .agent h3 { font-size: 17px; }
.agent h4, .agent h5, .agent h6 { font-size: 16px; }
a { color: var(--accent); }
code, pre, summary b { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { background: var(--sunken); border-radius: 4px; font-size: 0.875em; padding: 1px 4px; }
pre {
  background: var(--sunken); border: 1px solid var(--line); border-radius: 6px; font-size: 13px;
  line-height: 1.5; margin: 12px 0; max-height: 32rem; overflow: auto; padding: 12px 14px;
  tab-size: 4; white-space: pre; overflow-wrap: normal;
}
pre code { background: none; font-size: inherit; padding: 0; }
blockquote { border-left: 2px solid var(--line); color: var(--ink-2); margin: 16px 0; padding-left: 16px; }
table { border-collapse: collapse; display: block; font-size: 14px; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: 6px 16px 6px 0; text-align: left; }
hr { border: 0; border-top: 1px solid var(--line); margin: 24px 0; }
details { color: var(--ink-2); font-size: 14px; margin: 8px 0; }
summary { cursor: pointer; line-height: 24px; }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
summary b { color: var(--ink); font-size: 13px; font-weight: 500; }
.thought summary b { color: var(--ink-3); font-family: inherit; font-weight: normal; }
summary code { background: none; color: var(--ink-2); font-size: 13px; padding: 0 0 0 8px; }
summary span { color: var(--ink-3); font-size: 13px; margin-left: 8px; }
.use.done summary span { color: var(--good); }
.use.failed summary span { color: var(--bad); }
.use.unknown summary span { color: var(--care); }
.thought > div { border-left: 2px solid var(--line); padding-left: 16px; }
.notice {
  border-left: 2px solid var(--line); color: var(--ink-2); font-size: 14px; margin: 12px 0;
  padding-left: 16px; white-space: pre-wrap;
}
.notice.error_message { border-color: var(--bad); }
.faint { color: var(--ink-3); font-size: 13px; }
@media print { body { padding: 0; } pre { max-height: none; white-space: pre-wrap; } }
"""
