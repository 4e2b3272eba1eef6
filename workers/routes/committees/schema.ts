import * as z from 'zod'
import { example } from '../../examples.ts'
import { Bytes32, Timestamp } from '../../http/formats.ts'

/** A whole number in a path. */
export const PathCount = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,14})$/, 'must be an integer from 0')
  .transform(Number)
  .meta({ schema: { type: 'integer', minimum: 0 } })

export const BeaconView = z
  .strictObject({
    epoch_secs: z.int(),
    epoch: z.int(),
    target_time: Timestamp,
    block_number: z.int(),
    block_hash: Bytes32,
    value: Bytes32,
  })
  .meta({ id: 'Beacon' })

export const beaconExample: z.output<typeof BeaconView> = {
  epoch_secs: 3600,
  epoch: 498_055,
  target_time: 1_792_997_040,
  block_number: 21_402,
  block_hash: example.digest,
  value: example.manifestAddress,
}
