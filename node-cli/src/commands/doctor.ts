import { defineNodectlCommand } from '../cli/command.ts'
import { exitCodes } from '../cli/errors.ts'
import { namesIn, nodeAtHubSettings } from '../cli/node-at-hub.ts'
import { printJson } from '../cli/output.ts'
import { engineEnvironment, engineOf } from '../cli/run-request.ts'
import { settingArguments, settingEnvironment } from '../cli/setting-arguments.ts'
import { printTable } from '../cli/table.ts'
import { examine, type Finding } from '../doctor/index.ts'
import { addressOfNode } from '../running-node.ts'
import { readSettings } from '../serve/config.ts'
import { hubClient, learnProfile, parseHubUrl } from '../serve/hub/index.ts'

const settings = [...nodeAtHubSettings, 'bind', 'params-changes', 'role', 'clock'] as const

export default defineNodectlCommand({
  args: {
    ...settingArguments(settings),
    json: { type: 'boolean', description: 'Print {healthy, findings} as JSON' },
  },
  async run({ args }) {
    const given = readSettings(settings, args)
    const hubUrl = given['hub-url']
    const hub = hubUrl === null ? null : hubClient(parseHubUrl(hubUrl))
    const names = namesIn(given)
    // A check of its own says what is wrong with the hub.
    const { profile } = hub === null ? names : await learnProfile(hub, names).catch(() => names)
    const findings = await examine({
      dataDir: given['data-dir'],
      profile,
      paramsChanges: given['params-changes'],
      engine: engineOf(),
      bind: given.bind,
      url: addressOfNode(args),
      hub,
      isValidator: given.role === 'validator',
      followsHub: given.clock === 'hub',
    })
    const healthy = findings.every(({ status }) => status !== 'failed')
    if (args.json) printJson({ healthy, findings })
    else printTable(findings.flatMap(rowsOf))
    if (!healthy) process.exitCode = exitCodes.failed
  },
  environment: [...settingEnvironment(settings), engineEnvironment],
  exits: ['nothing keeps the node from serving', 'something failed'],
  examples: [
    ['doctor --data-dir ./node', 'Check a node of this machine'],
    [
      'doctor --data-dir ./node --hub-url https://hub.example --json',
      'Check a node and its hub, for a script',
    ],
  ],
})

const rowsOf = ({ check, status, message, mend }: Finding): [string, string][] => [
  [status, `${check}: ${message}`],
  ...(mend === null ? [] : [['', `→ ${mend}`] as [string, string]]),
]
