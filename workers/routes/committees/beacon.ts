import * as z from 'zod'
import { type Beacon, beaconTargetTime } from '../../../protocol/committees/index.ts'
import type { FixedParams } from '../../../protocol/identity/index.ts'
import { epochLengths } from '../../../protocol/manifest/index.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { spendAddressBudget } from '../../middleware/rate-limit.ts'
import { defineRoute, ok } from '../../route.ts'
import { BeaconView, beaconExample, PathCount } from './schema.ts'

export const getBeacon = defineRoute(
  {
    method: 'get',
    path: '/v1/beacons/{epoch_secs}/{epoch}',
    operationId: 'getBeacon',
    tag: 'Committees',
    summary: 'Get the randomness of an epoch',
    description: `The highest block with a timestamp strictly below \`target_time\`, once the block after it is final. Epochs last ${epochLengths.join(', ')} s.`,
    params: z.object({
      epoch_secs: PathCount.meta({ example: beaconExample.epoch_secs }),
      epoch: PathCount.meta({ example: beaconExample.epoch }),
    }),
    cache: { maxAgeSeconds: 3_600 },
    errors: ['not_found'],
    responses: ok('The beacon. It never changes.', BeaconView, beaconExample),
  },
  async (c, { params: { epoch_secs, epoch } }) => {
    const { beacons, params } = c.var.services
    const lengths: readonly number[] = epochLengths
    if (!lengths.includes(epoch_secs)) throw notFound(`No epoch lasts ${epoch_secs} s.`)
    const found = (await beacons.kept(epoch_secs, epoch)) ?? (await seek())
    if (found === null)
      throw notFound(`The block of epoch ${epoch} of ${epoch_secs} s is not settled yet or does not exist.`)
    return json(view(epoch_secs, epoch, found, params))

    async function seek(): Promise<Beacon | null> {
      if (!(await beacons.isDue(epoch_secs, epoch))) return null
      await spendAddressBudget(c, 'beacon_search')
      return beacons.seek(epoch_secs, epoch)
    }
  },
)

const notFound = (message: string): ApiError => new ApiError('not_found', message)

const view = (
  epochSecs: number,
  epoch: number,
  beacon: Beacon,
  params: FixedParams,
): z.output<typeof BeaconView> => ({
  epoch_secs: epochSecs,
  epoch,
  target_time: beaconTargetTime(epoch, epochSecs, params),
  ...beacon,
})
