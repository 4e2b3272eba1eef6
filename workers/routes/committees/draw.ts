import type * as z from 'zod'
import { drawCommittee, paramsOfEpoch } from '../../../protocol/committees/index.ts'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { requireAttested, spendDraw } from './access.ts'
import { CommitteeView, committeeExample, PathCount, SetParams } from './schema.ts'
import { notAttested } from './set.ts'

export const getCommittee = defineRoute(
  {
    method: 'get',
    path: '/v1/committees/{project_id}/{epoch}/{seq}',
    operationId: 'getCommittee',
    tag: 'Committees',
    summary: 'Get the committee of a task',
    description:
      'Drawn from the attested set: primaries, then backups in the order in which the hub asks them.',
    params: SetParams.extend({ seq: PathCount.meta({ example: committeeExample.seq }) }),
    cache: { maxAgeSeconds: 3_600 },
    errors: ['not_found'],
    responses: {
      ...ok('The committee. It never changes.', CommitteeView, committeeExample),
      ...notAttested,
    },
  },
  async (c, { params: { project_id, epoch, seq } }) => {
    const set = await requireAttested(c, project_id, epoch)
    await spendDraw(c, set)
    const { committeeSets, paramsSchedule } = c.var.services
    const snapshot = await committeeSets.readCandidates(set.setHash)
    const { draw, seed, k_eff, b_eff, q, fallback, committee_hash } = drawCommittee(c.var.settings.PROFILE, {
      beacon: snapshot.beacon.value,
      project_id,
      epoch,
      seq,
      set_hash: set.setHash,
      entries: snapshot.entries,
      weight_cap: snapshot.weight_cap,
      weight_unit_wei: paramsOfEpoch(paramsSchedule, epoch, set.epochSecs).weight_unit_wei,
      committee: set.committee,
    })
    const drawn = { seed, k_eff, b_eff, quorum: q, fallback, committee_hash, draw: [...draw] }
    return json({ project_id, epoch, seq, set_hash: set.setHash, ...drawn } satisfies z.output<
      typeof CommitteeView
    >)
  },
)
