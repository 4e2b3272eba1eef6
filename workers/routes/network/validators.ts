import { quorum } from '../../../protocol/consensus/index.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { defineRoute } from '../../route.ts'
import { Validators } from './schema.ts'

export const listValidators = defineRoute(
  {
    method: 'get',
    path: '/v1/validators',
    operationId: 'listValidators',
    tag: 'Network',
    summary: 'List the approved validators',
    cache: { maxAgeSeconds: 10 },
    responses: {
      200: {
        description: 'All of them, ordered by node id.',
        schema: Validators,
        example: {
          validators: [
            {
              node_id: '{{node_id_prefix}}0f3a5c7e9b1d2f40',
              public_key: example.digest,
              url: 'https://validator.example',
              region: 'eu-west',
            },
          ],
          count: 1,
          quorum: 1,
        },
      },
    },
  },
  async (c) => {
    const validators = await c.var.services.network.validators()
    return json({
      validators: validators.map(({ nodeId, publicKey, url, region }) => ({
        node_id: nodeId,
        public_key: publicKey,
        url,
        region,
      })),
      count: validators.length,
      quorum: quorum(validators.length),
    })
  },
)
