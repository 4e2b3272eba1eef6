import type { Route } from '../route.ts'
import { getMe } from './account/me.ts'
import { getPreferences, putPreferences } from './account/preferences.ts'
import { listAuditLog } from './admin/audit-log.ts'
import { decideEnrollment, decideVerification } from './admin/developers.ts'
import { putFaucet } from './admin/faucet.ts'
import { approveNode, listNodes, revokeNode } from './admin/nodes.ts'
import { listReviewQueue, reviewProject } from './admin/projects.ts'
import { getRelayer } from './admin/relayer.ts'
import { getAsset } from './assets/get.ts'
import { uploadAsset } from './assets/upload.ts'
import { logout } from './auth/logout.ts'
import { createNonce } from './auth/nonce.ts'
import { getSession } from './auth/session.ts'
import { exchangeSiwe } from './auth/siwe.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './developers/api-keys.ts'
import { createDraft, deleteDraft, getDraft, listDrafts, putDraft } from './developers/drafts.ts'
import { enroll, requestVerification } from './developers/enrollment.ts'
import { getDeveloper, getOwnDeveloper, putOwnDeveloper } from './developers/profile.ts'
import { createProject } from './developers/projects/create.ts'
import { listOwnProjects } from './developers/projects/list-own.ts'
import { prepareProject } from './developers/projects/prepare.ts'
import { publishVersion } from './developers/projects/publish.ts'
import { registerProject } from './developers/projects/register.ts'
import { createVersion } from './developers/projects/versions.ts'
import { bindDevice } from './devices/bind.ts'
import { getBinding } from './devices/binding.ts'
import { createBindingMessage } from './devices/binding-message.ts'
import { getDevice, putDeviceProfile, updateDevice } from './devices/device.ts'
import { listDevices } from './devices/list.ts'
import { unbindDevice } from './devices/unbind.ts'
import { drip } from './faucet/drip.ts'
import { getFaucet } from './faucet/get.ts'
import { downloadModule } from './modules/download.ts'
import { getModule } from './modules/get.ts'
import { listModules } from './modules/list.ts'
import { uploadModule } from './modules/upload.ts'
import { uploadModuleBytes } from './modules/upload-bytes.ts'
import { listCategories } from './network/categories.ts'
import { getDescriptor } from './network/descriptor.ts'
import { getNetworkParams } from './network/params.ts'
import { getStatus } from './network/status.ts'
import { getTransaction } from './network/transaction.ts'
import { listValidators } from './network/validators.ts'
import { heartbeat } from './nodes/heartbeat.ts'
import { registerNode } from './nodes/register.ts'
import { checkProjectCompatibility } from './projects/compatibility.ts'
import { getProjectEconomics } from './projects/economics.ts'
import { getProjectStats, listProjectEpochs, listProjectMiners } from './projects/figures.ts'
import { getProject } from './projects/get.ts'
import { listProjects } from './projects/list.ts'
import { getProjectManifest } from './projects/manifest.ts'
import { deleteReview, listReviews, putReview, voteHelpful } from './projects/reviews.ts'
import { getProjectVersion, listProjectVersions } from './projects/versions.ts'
import { getDocs, getDocsFile } from './reference/docs.ts'
import { getOpenApi } from './reference/openapi.ts'
import { bond, getBondPayload } from './subscriptions/bond.ts'
import { getCollateral } from './subscriptions/collateral.ts'
import { createSubscription } from './subscriptions/create.ts'
import { getSubscription } from './subscriptions/get.ts'
import { listSubscriptions } from './subscriptions/list.ts'
import { pauseSubscription, resumeSubscription } from './subscriptions/pause.ts'
import { setPayout } from './subscriptions/payout.ts'
import { unbond, withdraw } from './subscriptions/unbond.ts'

/** Every endpoint of the hub, in the order the reference shows them. */
export const routes: readonly Route[] = [
  getDescriptor,
  getStatus,
  getNetworkParams,
  listValidators,
  listCategories,
  getTransaction,
  createNonce,
  exchangeSiwe,
  getSession,
  logout,
  getMe,
  getPreferences,
  putPreferences,
  getOwnDeveloper,
  putOwnDeveloper,
  enroll,
  requestVerification,
  listDrafts,
  createDraft,
  getDraft,
  putDraft,
  deleteDraft,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  listOwnProjects,
  getDeveloper,
  listModules,
  uploadModule,
  uploadModuleBytes,
  getModule,
  downloadModule,
  prepareProject,
  createProject,
  registerProject,
  createVersion,
  publishVersion,
  uploadAsset,
  getAsset,
  listProjects,
  getProject,
  getProjectManifest,
  listProjectVersions,
  getProjectVersion,
  getProjectEconomics,
  getProjectStats,
  listProjectMiners,
  listProjectEpochs,
  checkProjectCompatibility,
  listReviews,
  putReview,
  deleteReview,
  voteHelpful,
  createBindingMessage,
  bindDevice,
  unbindDevice,
  getBinding,
  listDevices,
  getDevice,
  updateDevice,
  putDeviceProfile,
  createSubscription,
  listSubscriptions,
  getCollateral,
  getSubscription,
  getBondPayload,
  bond,
  setPayout,
  pauseSubscription,
  resumeSubscription,
  unbond,
  withdraw,
  getFaucet,
  drip,
  registerNode,
  heartbeat,
  decideEnrollment,
  decideVerification,
  listNodes,
  approveNode,
  revokeNode,
  putFaucet,
  reviewProject,
  listReviewQueue,
  getRelayer,
  listAuditLog,
  getOpenApi,
  getDocs,
]

/** What the pages load; answered as endpoints are, and no part of the reference. */
export const pageFiles: readonly Route[] = [getDocsFile]
