import { encodeCanonicalJson, type Hex, utf8 } from '../encoding/index.ts'
import { deriveModuleAddress } from '../execution/index.ts'
import { checkGuest, type Guest } from '../wasm/guest.ts'
import { WasmError } from '../wasm/reader.ts'
import { ArtifactError } from './artifact-error.ts'
import { type ArtifactManifest, parseManifest } from './manifest.ts'
import { readContainer, writeContainer } from './zip.ts'

export { ArtifactError } from './artifact-error.ts'
export { type ArtifactManifest, artifactRuntime, functionNamePattern } from './manifest.ts'
export { artifactBytesMax } from './zip.ts'

/** An artifact whose container, manifest and address keep every rule. */
export interface Artifact {
  readonly manifest: ArtifactManifest
  readonly manifestAddress: Hex
  /** The module as it is in the archive, possibly a view of the artifact's bytes. */
  readonly wasm: Uint8Array
}

export interface ArtifactOptions {
  /** Whether it enters the network with this: then no entry may be deflated to next to nothing. */
  readonly isNew?: boolean
}

/**
 * Opens an artifact: container, manifest and address, in this order. The module is not looked at; {@link parseArtifact}
 * does that too.
 *
 * @throws {@link ArtifactError}
 */
export function openArtifact(bytes: Uint8Array, options?: ArtifactOptions): Artifact {
  const { manifest: manifestBytes, wasm } = readContainer(bytes, options)
  const manifest = parseManifest(manifestBytes)
  const manifestAddress = deriveModuleAddress(manifest, wasm)
  if (manifest.manifest_address !== undefined && manifest.manifest_address !== manifestAddress)
    throw new ArtifactError(
      'manifest_address',
      `manifest.json names the address ${manifest.manifest_address}; the artifact has ${manifestAddress}`,
    )
  return { manifest, manifestAddress, wasm }
}

/**
 * Opens an artifact and checks its module: what may enter the network.
 *
 * @throws {@link ArtifactError}
 */
export function parseArtifact(
  bytes: Uint8Array,
  options?: ArtifactOptions,
): Artifact & { readonly guest: Guest } {
  const artifact = openArtifact(bytes, options)
  try {
    return { ...artifact, guest: checkGuest(artifact.wasm) }
  } catch (error) {
    if (!(error instanceof WasmError)) throw error
    const rule = error.kind === 'malformed' ? 'wasm' : error.kind === 'feature' ? 'wasm_feature' : 'wasm_abi'
    throw new ArtifactError(rule, `module.wasm: ${error.message}`)
  }
}

/**
 * Packs an artifact, with its address in the manifest. The same manifest and module give the same bytes everywhere.
 *
 * @throws {@link ArtifactError} for a manifest or module that {@link parseArtifact} would refuse.
 */
export function packArtifact(
  manifest: ArtifactManifest,
  wasm: Uint8Array,
): { bytes: Uint8Array; manifestAddress: Hex } {
  const addressed = { manifest_address: deriveModuleAddress(manifest, wasm), ...manifest }
  const bytes = writeContainer({ manifest: utf8(encodeCanonicalJson(addressed)), wasm })
  return { bytes, manifestAddress: parseArtifact(bytes).manifestAddress }
}
