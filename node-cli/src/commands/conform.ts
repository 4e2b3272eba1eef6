import type { Finding } from '../../../conformance/findings.ts'
import { type Format, formats, report } from '../../../conformance/report.ts'
import { optionsOf, unknown } from '../cli/arguments.ts'
import { defineNodectlCommand } from '../cli/command.ts'
import { exitCodes, UsageError } from '../cli/errors.ts'
import { namesIn, nodeAtHubSettings } from '../cli/node-at-hub.ts'
import { settingArguments, settingEnvironment } from '../cli/setting-arguments.ts'
import { writeOutput } from '../cli/standard-streams.ts'
import { readSettings } from '../serve/config.ts'

const sides = ['node', 'validator', 'hub']

export default defineNodectlCommand({
  args: {
    side: { type: 'positional', required: true, description: sides.join(', ') },
    format: {
      type: 'string',
      default: 'tap',
      valueHint: formats.join('|'),
      description: 'Output format, with one line or element for each clause',
    },
    project: {
      type: 'string',
      valueHint: 'SLUG',
      description: 'A project that the device of --data-dir works for; needed to test the offers of a hub',
    },
    ...settingArguments(nodeAtHubSettings),
    json: { type: 'boolean', description: 'As --format json' },
  },
  async run({ args, rawArgs }) {
    const format = args.json ? 'json' : args.format
    if (!isFormat(format)) throw unknown('format', format, formats)
    const settings = readSettings(nodeAtHubSettings, args)
    const rest = rawArgs.slice(optionsOf(rawArgs).length + 1)
    let findings: readonly Finding[]
    if (args.side === 'node' || args.side === 'validator') {
      if (rest.length === 0)
        throw new UsageError(
          `the command that starts the ${args.side} is missing; it follows --, as in: conform ${args.side} -- ./my-node`,
        )
      const { profile } = namesIn(settings)
      if (args.side === 'node') {
        const { testNode } = await import('../conform/test-node.ts')
        findings = await testNode(profile, rest)
      } else {
        const { testValidator } = await import('../conform/test-validator.ts')
        findings = await testValidator(profile, rest)
      }
    } else if (args.side === 'hub') {
      if (rest.length > 0) throw new UsageError('conform hub takes no command')
      const { testHub } = await import('../conform/test-hub.ts')
      const isNamed = args['data-dir'] !== undefined || process.env.NODE_DATA_DIR !== undefined
      findings = await testHub(settings, isNamed, args.project ?? null)
    } else throw unknown('side', args.side, sides)
    writeOutput(report(findings, format))
    if (findings.some(({ state }) => state === 'broken')) process.exitCode = exitCodes.failed
  },
  rest: 'COMMAND',
  environment: settingEnvironment(nodeAtHubSettings),
  exits: ['no clause is broken', 'a clause is broken'],
  words: sides,
  examples: [
    ['conform node -- nodectl serve --bind 127.0.0.1:0', 'Test a node'],
    [
      'conform node --format junit -- python3 node.py > report.xml',
      'Test another node, with a report for CI',
    ],
    ['conform validator -- nodectl serve', 'Test a validator'],
    ['conform hub --hub-url http://localhost:8787', 'Test what a hub answers to everybody'],
    [
      'conform hub --hub-url http://localhost:8787 --data-dir ./device --project sample-echo',
      'Test its offers too, as a device that works for a project',
    ],
  ],
})

const isFormat = (text: string): text is Format => (formats as readonly string[]).includes(text)
