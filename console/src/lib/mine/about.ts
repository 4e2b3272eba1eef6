import type { Schemas } from '../../../../sdk/index.ts'
import { me } from '../texts/me.ts'

type Told = Pick<Schemas['Notification'], 'type' | 'project_id' | 'node_id' | 'round_id' | 'tx_hash' | 'data'>

/** The links from a notification to the records that it is about. */
export function aboutOf({ type, project_id, node_id, round_id, tx_hash, data }: Told) {
  const t = me.notifications.about
  const { evidence_hash: slash } = (data ?? {}) as { evidence_hash?: unknown }
  const links: { word: string; href: string }[] = []
  if (typeof slash === 'string') links.push({ word: t.slash, href: `/slashes/${slash}` })
  else if (type.startsWith('slash.')) links.push({ word: t.slashes, href: '/me?part=slashes' })
  if (type.startsWith('withdrawal.')) links.push({ word: t.payments, href: '/me?part=earnings' })
  if (node_id !== undefined) links.push({ word: t.device, href: `/nodes/${node_id}` })
  if (project_id !== undefined) {
    const isOwn = type.startsWith('listing.')
    links.push({ word: t.project, href: `${isOwn ? '/build' : ''}/projects/${project_id}` })
  }
  if (type.startsWith('developer.') || type.startsWith('webhook.'))
    links.push({ word: t.build, href: '/build' })
  if (round_id !== undefined) links.push({ word: t.round, href: `/rounds/${encodeURIComponent(round_id)}` })
  if (tx_hash !== undefined) links.push({ word: t.transaction, href: `/tx/${tx_hash}` })
  return links
}
