import { flagsOf } from '../cli/arguments.ts'
import { type Commands, defineNodectlCommand } from '../cli/command.ts'
import { UsageError } from '../cli/errors.ts'
import { printJson } from '../cli/output.ts'
import { writeOutput } from '../cli/standard-streams.ts'

/** The words that may follow a command. */
interface Choices {
  readonly flags: readonly string[]
  /** Empty if its arguments are files. */
  readonly words: readonly string[]
}
type ChoicesOf = ReadonlyMap<string, Choices>

const toolFlags = ['--help', '-h', '--version', '-v']

const shells: Readonly<Record<string, (choices: ChoicesOf, commands: Commands) => string>> = {
  bash,
  zsh,
  fish,
}

/** The command that prints completion scripts for the given commands, itself among them. */
export const completionFor = (commands: Commands) =>
  defineNodectlCommand({
    args: {
      shell: { type: 'positional', required: true, description: Object.keys(shells).join(', ') },
      json: { type: 'boolean', description: 'Print {shell, script} as JSON' },
    },
    async run({ args }) {
      const write = Object.hasOwn(shells, args.shell) ? shells[args.shell] : undefined
      if (write === undefined) throw new UsageError(`SHELL must be one of ${Object.keys(shells).join(', ')}`)
      const script = write(await choicesByCommand(commands), commands)
      if (args.json) printJson({ shell: args.shell, script })
      else writeOutput(script)
    },
    words: Object.keys(shells),
    examples: [
      ['completion bash > ~/.local/share/bash-completion/completions/nodectl', 'Install it for bash'],
      ['completion zsh > ~/.zfunc/_nodectl', 'Install it for zsh, with ~/.zfunc in fpath'],
      ['completion fish > ~/.config/fish/completions/nodectl.fish', 'Install it for fish'],
    ],
  })

async function choicesByCommand(commands: Commands): Promise<ChoicesOf> {
  const choices = new Map<string, Choices>()
  for (const [name, { load }] of Object.entries(commands)) {
    const { args, words = [] } = (await load()).default
    choices.set(name, { flags: [...flagsOf(args).keys(), '--help', '-h'], words })
  }
  return choices
}

function bash(choices: ChoicesOf): string {
  const cases = [...choices].map(
    ([name, { flags, words }]) => `    ${name}) flags="${flags.join(' ')}"; words="${words.join(' ')}" ;;`,
  )
  return `_nodectl() {
  local flags="" words="" current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...choices.keys(), ...toolFlags].join(' ')}" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *)
      if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
      else
        local IFS=$'\\n'
        COMPREPLY=($(compgen -f -- "$current"))
      fi ;;
  esac
}
complete -o filenames -F _nodectl nodectl
`
}

function zsh(choices: ChoicesOf, commands: Commands): string {
  const list = Object.entries(commands).map(
    ([name, { description }]) => `    ${quoted(`${name}:${description}`)}`,
  )
  const cases = [...choices].map(
    ([name, { flags, words }]) => `    ${name}) flags=(${flags.join(' ')}) words_=(${words.join(' ')}) ;;`,
  )
  return `#compdef nodectl
_nodectl() {
  local -a commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    compadd -- ${toolFlags.join(' ')}
    return
  fi
  local -a flags words_
  case $words[2] in
${cases.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then compadd -- $flags
  elif (( $#words_ )); then compadd -- $words_
  else _files
  fi
}
_nodectl "$@"
`
}

function fish(choices: ChoicesOf, commands: Commands): string {
  const lines = toolFlags.map((flag) => `complete -c nodectl -n __fish_use_subcommand ${fishFlag(flag)}`)
  for (const [name, { description }] of Object.entries(commands))
    lines.push(`complete -c nodectl -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`)
  for (const [name, { flags, words }] of choices) {
    const after = `complete -c nodectl -n '__fish_seen_subcommand_from ${name}'`
    for (const flag of flags) lines.push(`${after} ${fishFlag(flag)}`)
    if (words.length > 0) lines.push(`${after} -f -a '${words.join(' ')}'`)
  }
  return `${lines.join('\n')}\n`
}

const fishFlag = (flag: string): string => `${flag.startsWith('--') ? '-l' : '-s'} ${flag.replace(/^-+/, '')}`

/** A word that zsh and fish take as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`
