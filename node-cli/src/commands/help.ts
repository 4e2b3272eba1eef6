import { unknown } from '../cli/arguments.ts'
import { type Commands, defineNodectlCommand } from '../cli/command.ts'
import { commandHelp, toolHelp } from '../cli/help.ts'
import { printJson } from '../cli/output.ts'
import { writeOutput } from '../cli/standard-streams.ts'

/** The command that shows the help of the given commands, itself among them. */
export const helpFor = (commands: Commands) =>
  defineNodectlCommand({
    args: {
      command: { type: 'positional', required: false, description: 'The command (default all)' },
      json: { type: 'boolean', description: 'Print {command, help} as JSON' },
    },
    async run({ args }) {
      const { command } = args
      const help = await helpOf(commands, command)
      if (args.json) printJson({ command: command ?? null, help })
      else writeOutput(`${help}\n`)
    },
    words: Object.keys(commands),
    examples: [['help serve', 'Show what serve takes']],
  })

async function helpOf(commands: Commands, name: string | undefined): Promise<string> {
  if (name === undefined) return toolHelp(commands)
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (entry === undefined) throw unknown('command', name, Object.keys(commands))
  return commandHelp(name, entry.description, (await entry.load()).default)
}
