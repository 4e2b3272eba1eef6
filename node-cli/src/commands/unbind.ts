import { isAddress, isUnsigned } from '../../../protocol/encoding/index.ts'
import { askForText } from '../binding/binding-text.ts'
import { bindingRecord, withHint } from '../binding/send-binding.ts'
import { defineNodectlCommand } from '../cli/command.ts'
import { CliError } from '../cli/errors.ts'
import { ifFound, type NodeAtHub, nodeAtHubSettings, openNodeAtHub } from '../cli/node-at-hub.ts'
import { printJson, tell } from '../cli/output.ts'
import { settingArguments, settingEnvironment } from '../cli/setting-arguments.ts'
import { readDeviceWork, tokensText, type WorkedFor } from '../device-work.ts'
import { Members } from '../serve/hub/members.ts'

export default defineNodectlCommand({
  args: settingArguments(nodeAtHubSettings),
  async run({ args }) {
    const at = await openNodeAtHub(args)
    const { client, profile, node, clock } = at
    const owner = await ownerOf(at)
    // The operator may not know that unbinding a device does not return its collateral.
    const work = await readDeviceWork(client, at.nodeId)
    const wanted = { action: 'unbind', owner, public_key: node.publicKey } as const
    const body = bindingRecord(at, await askForText(client, profile, wanted, clock), null)
    const unbound = await withHint(
      client.call({ method: 'POST', target: '/v1/devices/unbind', body }, (answer) => {
        const record = new Members(answer)
        return {
          node_id: record.text('node_id'),
          owner: record.get('owner', isAddress, 'an address'),
          unbound_at: record.get('unbound_at', isUnsigned, 'Unix seconds'),
        }
      }),
    )
    const bonded = work?.subscriptions.filter(({ collateral }) => collateral !== '0') ?? null
    printJson({ ...unbound, bonded: bonded?.map(bondOf) ?? null })
    for (const subscription of bonded ?? [])
      tell(
        `${tokensText(subscription.collateral, subscription)} stay bonded in ${subscription.slug} (${subscription.status}) until ${subscription.owner} unbonds and withdraws them; subscription ${subscription.subscription_id}`,
      )
  },
  environment: settingEnvironment(nodeAtHubSettings),
  examples: [['unbind --data-dir ./node --hub-url https://hub.example', 'Take the device from its wallet']],
})

const bondOf = ({ subscription_id, project_id, slug, owner, status, collateral }: WorkedFor) => ({
  subscription_id,
  project_id,
  slug,
  owner,
  status,
  collateral,
})

/** The wallet that the device is bound to. @throws {@link CliError} if it is not bound. */
async function ownerOf({ client, nodeId }: NodeAtHub): Promise<string> {
  const owner = await ifFound(
    client.call({ method: 'GET', target: `/v1/devices/${nodeId}` }, (answer) =>
      new Members(answer).get('owner', isAddress, 'an address'),
    ),
  )
  if (owner === null) throw new CliError('not_bound', `${nodeId} is bound to no wallet`)
  return owner
}
