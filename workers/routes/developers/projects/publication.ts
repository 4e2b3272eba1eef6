import { payloadExample } from '../../../actions/gasless-schema.ts'
import type { RequestedAction } from '../../../actions/prepare.ts'
import { example } from '../../../examples.ts'
import type { ProjectVersion } from '../../../stores/projects.ts'
import { hashesExample } from '../../projects/example.ts'
import { manifestOf } from '../../projects/view.ts'

/** The publication of a stored version as the contract takes it. */
export const publishAction = (version: ProjectVersion): RequestedAction => {
  const { developer } = manifestOf(version)
  return {
    action: 'publish_version',
    account: developer,
    message: {
      developer,
      projectId: version.projectId,
      version: version.version,
      consensusHash: version.consensusHash,
      manifestHash: version.manifestHash,
    },
  }
}

export const publishPayloadExample = payloadExample('publish_version', {
  developer: example.wallet,
  projectId: hashesExample.project_id,
  version: 2,
  consensusHash: hashesExample.consensus_hash,
  manifestHash: hashesExample.manifest_hash,
})
