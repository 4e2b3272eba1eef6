import { flagsOf } from '../cli/arguments.ts'
import { type CommandEntry, defineNodectlCommand } from '../cli/command.ts'
import { UsageError } from '../cli/errors.ts'
import { printJson } from '../cli/output.ts'
import { writeOutput } from '../cli/standard-streams.ts'

type Commands = Readonly<Record<string, CommandEntry>>
type Flags = ReadonlyMap<string, readonly string[]>

const shells: Readonly<Record<string, (flags: Flags, commands: Commands) => string>> = { bash, zsh, fish }

/** The command that prints completion scripts for the given commands, itself among them. */
export const completionFor = (commands: Commands) =>
  defineNodectlCommand({
    definition: {
      meta: { name: 'completion', description: 'Print a completion script for bash, zsh or fish' },
      args: {
        shell: { type: 'positional', required: true, description: Object.keys(shells).join(', ') },
        json: { type: 'boolean', description: 'Print {shell, script} as JSON' },
      },
      async run({ args }) {
        const write = Object.hasOwn(shells, args.shell) ? shells[args.shell] : undefined
        if (write === undefined)
          throw new UsageError(`SHELL must be one of ${Object.keys(shells).join(', ')}`)
        const script = write(await flagsByCommand(commands), commands)
        if (args.json) printJson({ shell: args.shell, script })
        else writeOutput(script)
      },
    },
    examples: [
      ['completion bash > ~/.local/share/bash-completion/completions/nodectl', 'Install it for bash'],
      ['completion zsh > ~/.zfunc/_nodectl', 'Install it for zsh, with ~/.zfunc in fpath'],
      ['completion fish > ~/.config/fish/completions/nodectl.fish', 'Install it for fish'],
    ],
  })

async function flagsByCommand(commands: Commands): Promise<Flags> {
  const flags = new Map<string, string[]>()
  for (const [name, { load }] of Object.entries(commands)) {
    const { definition } = (await load()).default
    flags.set(name, [...flagsOf(definition.args).keys(), '--help'])
  }
  return flags
}

function bash(flags: Flags): string {
  const cases = [...flags].map(([name, all]) => `    ${name}) words="${all.join(' ')}" ;;`)
  return `_nodectl() {
  local words="" current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...flags.keys()].join(' ')} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _nodectl nodectl
`
}

function zsh(flags: Flags, commands: Commands): string {
  const list = Object.entries(commands).map(([name, { description }]) => `    '${name}:${description}'`)
  const cases = [...flags].map(([name, all]) => `    ${name}) compadd -- ${all.join(' ')} ;;`)
  return `#compdef nodectl
_nodectl() {
  local -a commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  [[ $PREFIX == -* ]] || { _files; return }
  case $words[2] in
${cases.join('\n')}
  esac
}
_nodectl "$@"
`
}

function fish(flags: Flags, commands: Commands): string {
  const lines = Object.entries(commands).map(
    ([name, { description }]) =>
      `complete -c nodectl -n __fish_use_subcommand -a ${name} -d '${description}'`,
  )
  for (const [name, all] of flags)
    for (const flag of all)
      lines.push(
        `complete -c nodectl -n '__fish_seen_subcommand_from ${name}' ${flag.startsWith('--') ? '-l' : '-s'} ${flag.replace(/^-+/, '')}`,
      )
  return `${lines.join('\n')}\n`
}
