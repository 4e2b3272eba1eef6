import * as z from 'zod'
import { artifactRuntime } from '../../../protocol/hbc/artifact.ts'
import { example } from '../../examples.ts'
import { Address, Bytes32, PathBytes32, Timestamp } from '../../http/formats.ts'
import type { Module } from '../../stores/modules.ts'

export const ModuleView = z
  .strictObject({
    manifest_address: Bytes32.describe('Computed from the artifact; identifies the module on every network.'),
    name: z.string(),
    language: z.string(),
    functions: z.array(z.string()).describe('Exported functions; the index is the `func_id`.'),
    manifest: z.record(z.string(), z.unknown()).describe('The manifest inside the artifact.'),
    hbc_size: z.int().describe('Bytes of the artifact.'),
    stateless: z
      .boolean()
      .describe(
        'True if the module imports neither storage nor cross-module calls. Only such a module can be a committee worker.',
      ),
    uploader: Address,
    exec_count: z.int(),
    deployed_at: Timestamp,
  })
  .meta({ id: 'Module' })

export const moduleView = (module: Module): z.output<typeof ModuleView> => ({
  manifest_address: module.manifestAddress,
  name: module.name,
  language: module.language,
  functions: module.functions,
  manifest: module.manifest,
  hbc_size: module.hbcSize,
  stateless: module.stateless,
  uploader: module.uploader,
  exec_count: module.execCount,
  deployed_at: module.deployedAt,
})

export const moduleExample: z.output<typeof ModuleView> = {
  manifest_address: example.manifestAddress,
  name: 'vector_echo',
  language: 'wat',
  functions: ['echo'],
  manifest: {
    compiler: 'ndsr-test-vectors/1',
    functions: ['echo'],
    language: 'wat',
    name: 'vector_echo',
    runtime: artifactRuntime,
    version: '1.0.0',
  },
  hbc_size: 589,
  stateless: true,
  uploader: example.wallet,
  exec_count: 0,
  deployed_at: example.time,
}

export const ModuleParams = {
  address: PathBytes32.meta({
    description: 'Manifest address of the module.',
    example: example.manifestAddress,
  }),
}

export const modulePath = (manifestAddress: string): string => `/v1/modules/${manifestAddress}`
