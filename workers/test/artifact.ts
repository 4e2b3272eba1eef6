import { packArtifact } from '../../protocol/hbc/artifact.ts'
import { echoManifest, echoWasm } from '../../protocol/hbc/testing/artifacts.ts'

/** The echo module under a name of its own, and so with an address of its own. */
export const namedArtifact = (name: string) => packArtifact({ ...echoManifest, name }, echoWasm)
