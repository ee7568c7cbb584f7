import { Argument, type Command } from 'commander';

import type { Cli } from '../cli.js';

/** Each asks pay-partner for the words that may stand at the cursor; without any, files are offered. */
const SCRIPTS = {
  bash: `_pay_partner() {
  local IFS=$'\\n'
  COMPREPLY=($(pay-partner complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _pay_partner pay-partner`,
  zsh: `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
_pay_partner() {
  local -a found
  found=(\${(f)"$(pay-partner complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
compdef _pay_partner pay-partner`,
  fish: `function _pay_partner
  set -l found (pay-partner complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q found[1]; printf '%s\\n' $found; else; __fish_complete_path (commandline -ct); end
end
complete -c pay-partner -f -a '(_pay_partner)'`,
} as const;

const HELP = `
Examples:
  $ pay-partner completion bash >> ~/.bashrc
  $ pay-partner completion zsh >> ~/.zshrc
  $ pay-partner completion fish > ~/.config/fish/completions/pay-partner.fish`;

/** `completion`: the script of a shell. */
export function addCompletionCommand(program: Command, cli: Cli): void {
  program
    .command('completion')
    .description('print the script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', HELP)
    .action((shell: keyof typeof SCRIPTS) => cli.terminal.print(SCRIPTS[shell]));
}

/**
 * `complete`, which the scripts call.
 *
 * @param createFullProgram with all commands
 */
export function addCompleteCommand(
  program: Command,
  cli: Cli,
  createFullProgram: () => Promise<Command>,
): void {
  program
    .command('complete', { hidden: true })
    .description('the words that may stand at the end of a command line')
    .argument('[words...]', 'the command line so far')
    .action(async (words: string[]) => {
      const found = listCompletions(await createFullProgram(), words);
      if (found.length > 0) cli.terminal.print(...found);
    });
}

function listCompletions(program: Command, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? '';
  let command = program;
  for (const word of words.slice(0, -1)) {
    command = command.commands.find((child) => child.name() === word) ?? command;
  }
  const options = [...command.options, ...(command === program ? [] : program.options)];
  const before = options.find(({ long, short }) => [long, short].includes(words.at(-2)));
  const candidates =
    before?.required === true
      ? (before.argChoices ?? [])
      : typed.startsWith('-')
        ? [...options.flatMap(({ long }) => long ?? []), '--help']
        : [
            ...command
              .createHelp()
              .visibleCommands(command)
              .map((child) => child.name())
              .filter((name) => name !== 'help'),
            ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
          ];
  return candidates.filter((candidate) => candidate.startsWith(typed));
}
