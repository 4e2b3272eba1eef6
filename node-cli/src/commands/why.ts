import type { Cause } from '../../../protocol/causes.ts'
import { deriveSubscriptionId } from '../../../protocol/identity/index.ts'
import { defineNodectlCommand } from '../cli/command.ts'
import { exitCodes, UsageError } from '../cli/errors.ts'
import { type NodeAtHub, nodeAtHubSettings, openNodeAtHub } from '../cli/node-at-hub.ts'
import { printable, printJson } from '../cli/output.ts'
import { settingArguments, settingEnvironment } from '../cli/setting-arguments.ts'
import { writeOutput } from '../cli/standard-streams.ts'
import { type Diagnosis, diagnose } from '../diagnosis.ts'
import { idOf, projectIdOf, readProject } from '../named-project.ts'
import { askNode } from '../node-causes.ts'
import { addressOfNode } from '../running-node.ts'
import { apiTokenVariable } from '../serve/flags.ts'

export default defineNodectlCommand({
  args: {
    subscription: {
      type: 'positional',
      required: false,
      description: 'The subscription (default that of the node to --project, or all of them)',
    },
    ...settingArguments(nodeAtHubSettings),
    project: {
      type: 'string',
      valueHint: 'PROJECT',
      description: 'The project that the node works for, by its id or its slug',
    },
    json: { type: 'boolean', description: 'Print {working, causes} as JSON' },
  },
  async run({ args }) {
    const named = idOf('SUBSCRIPTION', args.subscription)
    const project = readProject(args.project)
    if (named !== null && project !== null) throw new UsageError('name a subscription or a project, not both')
    const at = await openNodeAtHub(args)
    const projectId = await projectIdOf(at.client, project)
    const ofHub = await diagnose(at, subscriptionOf(at, named, projectId))
    const { nodeId, dataDir, client } = at
    const asked = { nodeId, dataDir, origin: client.origin, payout: ofHub.payout }
    const ofNode = await askNode(addressOfNode({ 'data-dir': args['data-dir'] }), asked)
    const diagnosis = withCauses(ofHub, ofNode)
    if (args.json) printJson(diagnosis)
    else writeOutput(textOf(diagnosis, ofHub.subscriptions))
    if (!diagnosis.working) process.exitCode = exitCodes.failed
  },
  environment: [
    ...settingEnvironment(nodeAtHubSettings),
    ['NODE_BIND', 'the address of the node, which is asked too if it runs, or last ran, on this machine'],
    [apiTokenVariable, 'the token of the node, without which it says little'],
  ],
  exits: ['nothing is in the way', 'something is, or the hub does not answer'],
  examples: [
    ['why --data-dir ./node --hub-url https://hub.example', 'Ask about the device and all that it works for'],
    [
      'why --data-dir ./node --hub-url https://hub.example --project hello',
      'Ask about its work for a project',
    ],
  ],
})

/** The id of a subscription follows from project, owner and key. */
const subscriptionOf =
  ({ node }: NodeAtHub, named: string | null, project: string | null) =>
  (owner: string): string | null =>
    named ?? (project === null ? null : deriveSubscriptionId(project, owner, node.publicKey))

/** Warnings of the node keep it from nothing. A cause that the hub names already is told once. */
const withCauses = ({ working, causes }: Diagnosis, more: readonly Cause[]) => ({
  working: working && more.every(({ severity }) => severity !== 'error'),
  causes: [...causes, ...more.filter(({ code }) => causes.every((told) => told.code !== code))],
})

/** @param asked About how many subscriptions; without any it is about the device alone. */
function textOf({ working, causes }: Pick<Diagnosis, 'working' | 'causes'>, asked: number): string {
  const lines = causes.flatMap(({ severity, message, next_step, docs }) => [
    `${severity}: ${message}`,
    ...(next_step === null ? [] : [`  → ${next_step}`]),
    ...(docs === null ? [] : [`  ${docs}`]),
  ])
  const clear =
    asked === 0
      ? 'Nothing is in the way of the device itself. Ask about its work for a project with --project PROJECT'
      : 'Nothing is in the way.'
  const summary = working ? clear : 'Something is in the way.'
  return `${[summary, ...lines].map(printable).join('\n')}\n`
}
