import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import type { Wallet } from '../../sdk/sign-in.ts'
import { print } from '../print.ts'
import { beginEpoch, type Work } from './committee.ts'
import type { CompiledModule } from './developer.ts'
import { settleEpoch } from './earnings.ts'
import { bringFurtherDevices, type Miner } from './miner.ts'
import { finishRound } from './round.ts'
import { slashFirstDevice, topUp } from './slash.ts'
import { ensure, type MovableStage } from './stage.ts'
import { joinValidators } from './validators.ts'

/** The miner's devices work for the project and earn; then one of them breaks a rule, and answers for it. */
export async function settle(
  stage: MovableStage,
  projectId: string,
  miner: Miner,
  operator: Wallet,
  modules: readonly CompiledModule[],
): Promise<void> {
  const validators = await joinValidators(stage, operator)
  if (validators === null) {
    print('·', 'this network has validators of its own, who attest nothing that a demo makes up')
    return
  }
  const all = await bringFurtherDevices(stage, miner, projectId)
  const { manifest } = await unwrap(
    stage.quiet.client.GET('/v1/projects/{project_id}/manifest', {
      params: { path: { project_id: projectId } },
    }),
  )
  const work: Work = {
    projectId,
    consensus: (manifest as unknown as ProjectManifest).consensus,
    devices: all.devices,
    validators,
  }
  const worker = modules.find(({ manifest_address }) => manifest_address === work.consensus.modules.worker)
  ensure(worker !== undefined, 'the project has a worker that was compiled here')
  const module = worker.out
  const record = await finishRound(stage, work, await beginEpoch(stage, work), module)
  await settleEpoch(stage, work, miner.wallet, record)
  await slashFirstDevice(stage, work, miner, operator, await beginEpoch(stage, work), module)
  await topUp(stage, work, miner)
  await finishRound(stage, work, await beginEpoch(stage, work), module)
}
