import * as z from 'zod'
import { CompatibilityView, compatibilityExample, compatibilityView, profileOf } from '../../compatibility.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { PathNodeId } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'
import { HardwareInput, hardwareExample } from '../devices/schema.ts'
import { findVisible } from './access.ts'
import { DeviceClass, Engine } from './manifest-shape.ts'
import { ProjectParams } from './schema.ts'
import { manifestOf } from './view.ts'

const CompatibilityInput = z
  .strictObject({
    node_id: PathNodeId.optional().describe(
      'A bound device, to compare the profile that it reported. Send no other field with it.',
    ),
    class: DeviceClass.optional(),
    engine: Engine.optional(),
    hardware: HardwareInput.optional(),
    benchmark_score: z
      .int()
      .min(0)
      .max(2 ** 40)
      .optional(),
  })
  .meta({ id: 'CompatibilityInput' })

export const checkProjectCompatibility = defineRoute(
  {
    method: 'post',
    path: '/v1/projects/{project_id}/compatibility',
    operationId: 'checkCompatibility',
    tag: 'Projects',
    summary: 'Compare a device with the requirements of a project',
    description:
      'Send the `node_id` of a bound device, or a profile. Each requirement that the device does not report is a warning: an empty profile `{}` gets a warning for every requirement of the project.',
    params: z.object(ProjectParams),
    json: {
      schema: CompatibilityInput,
      example: { class: 'desktop', engine: 'native', hardware: hardwareExample, benchmark_score: 120 },
    },
    errors: ['not_found'],
    responses: ok('The result of the comparison.', CompatibilityView, compatibilityExample),
  },
  async (c, { params: { project_id }, json: input }) => {
    const { project, current } = await findVisible(c, project_id)
    const { requirements } = manifestOf(current).scheduling
    const profile = await profileIn(c, input)
    return json(compatibilityView(profile, requirements, project.avgDailyReward))
  },
)

async function profileIn(c: HubContext, { node_id, ...given }: z.output<typeof CompatibilityInput>) {
  if (node_id === undefined) {
    const { class: deviceClass = null, engine = null, hardware = null, benchmark_score: score } = given
    return profileOf({
      class: deviceClass,
      engine,
      hardware,
      benchmark: score === undefined ? null : { score },
    })
  }
  if (Object.keys(given).length > 0)
    throw invalidField('node_id', 'names a device; leave the profile out, or the node_id')
  const device = await c.var.services.devices.find(node_id)
  if (!device || device.unboundAt !== null)
    throw new ApiError('not_found', `There is no bound device ${node_id}.`)
  return profileOf(device)
}
