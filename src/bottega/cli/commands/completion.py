"""`bottega completion`: the script that makes the shell complete what is typed."""

import click

from bottega.cli.screen.output import out_text


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the script that completes commands in your shell.

    \b
    bash: bottega completion bash > ~/.local/share/bash-completion/completions/bottega
    zsh:  bottega completion zsh > "${fpath[1]}/_bottega"
    fish: bottega completion fish > ~/.config/fish/completions/bottega.fish
    """
    from click.shell_completion import get_completion_class

    context = click.get_current_context()
    kind = get_completion_class(shell)
    assert kind
    root = context.find_root()
    out_text(kind(root.command, {}, "bottega", "_BOTTEGA_COMPLETE").source())
