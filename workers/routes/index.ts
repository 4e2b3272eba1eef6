import type { Method, Route } from '../route.ts'
import { consolePaths } from './console-paths.ts'

export interface RouteEntry {
  method: Method
  /** OpenAPI form, as the route declares it. */
  path: string
  load: () => Promise<Route>
  /** The page that browsers get at the same path. */
  loadPage?: () => Promise<Route>
}

/** Makes entries: the path, the file that the route is in, and its name there. */
const entries =
  (method: Method) =>
  <Name extends string>(path: string, file: () => Promise<Record<Name, Route>>, name: Name): RouteEntry => {
    let loaded: Route | undefined
    return {
      method,
      path,
      load: async () => {
        loaded ??= (await file())[name]
        return loaded
      },
    }
  }

const get = entries('get')
const post = entries('post')
const put = entries('put')
const patch = entries('patch')
const del = entries('delete')

/** The page of a screen, which reads in the browser what its path names. */
const consolePage = (path: string): RouteEntry =>
  get(path, async () => ({ page: (await import('./console/page.ts')).pageOf(path) }), 'page')

/** Paths that several endpoints begin with. */
const project = '/v1/projects/{project_id}'
const ownProject = '/v1/developers/projects/{project_id}'
const simulation = `${ownProject}/simulations/{simulation_id}`
const announcement = `${ownProject}/announcements/{announcement_id}`
const subscription = '/v1/subscriptions/{subscription_id}'
const nodeSet = '/v1/nodes/committee-sets/{project_id}/{epoch}'
const deadLetter = '/admin/v1/dead-letters/{message_id}'
const collection = '/admin/v1/collections/{collection_id}'
const webhook = '/v1/me/webhooks/{webhook_id}'
const developer = '/admin/v1/developers/{address}'

/**
 * Every endpoint of the hub, in the order the reference shows them. The file of a route is evaluated when the route is
 * first called: the schemas of all routes together are most of what an isolate would do before it answers anything.
 */
export const routes: readonly RouteEntry[] = [
  {
    ...get('/', () => import('./network/descriptor.ts'), 'getDescriptor'),
    loadPage: () => consolePage('/').load(),
  },
  get('/v1/status', () => import('./network/status.ts'), 'getStatus'),
  get('/v1/network/params', () => import('./network/params.ts'), 'getNetworkParams'),
  get('/v1/validators', () => import('./network/validators.ts'), 'listValidators'),
  get('/v1/validators/generations', () => import('./network/validators.ts'), 'listGenerations'),
  get('/v1/network/treasury', () => import('./network/treasury.ts'), 'getTreasury'),
  get('/v1/whoami', () => import('./network/whoami.ts'), 'whoami'),
  get('/v1/categories', () => import('./network/categories.ts'), 'listCategories'),
  get('/v1/transactions/{id}', () => import('./network/transaction.ts'), 'getTransaction'),
  post(`${project}/tasks`, () => import('./tasks/submit.ts'), 'submitTask'),
  get('/v1/tasks/{task_id}', () => import('./tasks/get.ts'), 'getTask'),
  get('/v1/task-inputs/{ticket}', () => import('./tasks/input.ts'), 'getTaskInput'),
  post('/v1/execute', () => import('./tasks/execute.ts'), 'execute'),
  post('/v1/auth/nonce', () => import('./auth/nonce.ts'), 'createNonce'),
  post('/v1/auth/siwe', () => import('./auth/siwe.ts'), 'exchangeSiwe'),
  get('/v1/auth/session', () => import('./auth/session.ts'), 'getSession'),
  post('/v1/auth/logout', () => import('./auth/session.ts'), 'logout'),
  get('/v1/me', () => import('./account/me.ts'), 'getMe'),
  get('/v1/events', () => import('./events/feed.ts'), 'listEvents'),
  get('/v1/me/events', () => import('./events/feed.ts'), 'listOwnEvents'),
  get('/v1/me/notifications', () => import('./events/notifications.ts'), 'listNotifications'),
  post('/v1/me/notifications/read', () => import('./events/notifications.ts'), 'markNotificationsRead'),
  get('/v1/me/webhooks', () => import('./webhooks/webhooks.ts'), 'listWebhooks'),
  post('/v1/me/webhooks', () => import('./webhooks/webhooks.ts'), 'createWebhook'),
  get(webhook, () => import('./webhooks/webhooks.ts'), 'getWebhook'),
  patch(webhook, () => import('./webhooks/webhooks.ts'), 'updateWebhook'),
  del(webhook, () => import('./webhooks/webhooks.ts'), 'deleteWebhook'),
  post(`${webhook}/test`, () => import('./webhooks/deliveries.ts'), 'testWebhook'),
  post(`${webhook}/secrets`, () => import('./webhooks/secret.ts'), 'createWebhookSecret'),
  get(`${webhook}/deliveries`, () => import('./webhooks/deliveries.ts'), 'listWebhookDeliveries'),
  post(
    `${webhook}/deliveries/{delivery_id}/redeliver`,
    () => import('./webhooks/deliveries.ts'),
    'redeliverWebhook',
  ),
  get('/v1/me/preferences', () => import('./account/preferences.ts'), 'getPreferences'),
  put('/v1/me/preferences', () => import('./account/preferences.ts'), 'putPreferences'),
  get('/v1/accounts/{address}', () => import('./accounts/profile.ts'), 'getAccount'),
  get('/v1/accounts/{address}/balances', () => import('./accounts/balances.ts'), 'getBalances'),
  get('/v1/leaderboards', () => import('./accounts/leaderboards.ts'), 'getLeaderboard'),
  get('/v1/developers/me', () => import('./developers/profile.ts'), 'getOwnDeveloper'),
  put('/v1/developers/me', () => import('./developers/profile.ts'), 'putOwnDeveloper'),
  patch('/v1/developers/me', () => import('./developers/profile.ts'), 'patchOwnDeveloper'),
  post('/v1/developers/me/enrollment', () => import('./developers/enrollment.ts'), 'enroll'),
  post('/v1/developers/me/verification', () => import('./developers/enrollment.ts'), 'requestVerification'),
  get('/v1/developers/me/drafts', () => import('./developers/drafts.ts'), 'listDrafts'),
  post('/v1/developers/me/drafts', () => import('./developers/drafts.ts'), 'createDraft'),
  get('/v1/developers/me/drafts/{draft_id}', () => import('./developers/drafts.ts'), 'getDraft'),
  put('/v1/developers/me/drafts/{draft_id}', () => import('./developers/drafts.ts'), 'putDraft'),
  del('/v1/developers/me/drafts/{draft_id}', () => import('./developers/drafts.ts'), 'deleteDraft'),
  get('/v1/developers/api-keys', () => import('./developers/api-keys.ts'), 'listApiKeys'),
  post('/v1/developers/api-keys', () => import('./developers/api-keys.ts'), 'createApiKey'),
  del('/v1/developers/api-keys/{key_id}', () => import('./developers/api-keys.ts'), 'revokeApiKey'),
  get('/v1/developers/me/projects', () => import('./developers/projects/list-own.ts'), 'listOwnProjects'),
  get('/v1/developers/{address}', () => import('./developers/profile.ts'), 'getDeveloper'),
  get('/v1/modules', () => import('./modules/list.ts'), 'listModules'),
  post('/v1/modules', () => import('./modules/upload.ts'), 'uploadModule'),
  put('/v1/modules/{address}/hbc', () => import('./modules/upload-bytes.ts'), 'uploadModuleBytes'),
  get('/v1/modules/{address}', () => import('./modules/get.ts'), 'getModule'),
  get('/v1/modules/{address}/hbc', () => import('./modules/download.ts'), 'downloadModule'),
  post('/v1/developers/projects/prepare', () => import('./developers/projects/prepare.ts'), 'prepareProject'),
  post('/v1/developers/projects', () => import('./developers/projects/create.ts'), 'createProject'),
  post(`${ownProject}/register`, () => import('./developers/projects/registration.ts'), 'registerProject'),
  post(`${ownProject}/versions`, () => import('./developers/projects/versions.ts'), 'createVersion'),
  post(
    `${ownProject}/versions/{version}/publish`,
    () => import('./developers/projects/publish.ts'),
    'publishVersion',
  ),
  get(`${ownProject}/analytics`, () => import('./developers/projects/analytics.ts'), 'getProjectAnalytics'),
  get(`${ownProject}/health`, () => import('./developers/projects/health.ts'), 'getProjectHealth'),
  get(`${ownProject}/revenue`, () => import('./developers/projects/revenue.ts'), 'getProjectRevenue'),
  get(`${ownProject}/proofs`, () => import('./developers/projects/proofs.ts'), 'listProjectProofs'),
  get(`${ownProject}/simulations`, () => import('./developers/projects/simulations.ts'), 'listSimulations'),
  post(`${ownProject}/simulations`, () => import('./developers/projects/simulations.ts'), 'createSimulation'),
  get(simulation, () => import('./developers/projects/simulations.ts'), 'getSimulation'),
  post(`${ownProject}/announcements`, () => import('./projects/announcements.ts'), 'createAnnouncement'),
  del(announcement, () => import('./projects/announcements.ts'), 'deleteAnnouncement'),
  post('/v1/developers/assets', () => import('./assets/asset.ts'), 'uploadAsset'),
  get('/v1/assets/{sha256}', () => import('./assets/asset.ts'), 'getAsset'),
  get('/v1/projects', () => import('./projects/list.ts'), 'listProjects'),
  get(project, () => import('./projects/get.ts'), 'getProject'),
  get(`${project}/manifest`, () => import('./projects/manifest.ts'), 'getProjectManifest'),
  get(`${project}/versions`, () => import('./projects/versions.ts'), 'listProjectVersions'),
  get(`${project}/versions/{version}`, () => import('./projects/versions.ts'), 'getProjectVersion'),
  get(`${project}/economics`, () => import('./projects/economics.ts'), 'getProjectEconomics'),
  get(`${project}/stats`, () => import('./projects/figures.ts'), 'getProjectStats'),
  get(`${project}/miners`, () => import('./projects/figures.ts'), 'listProjectMiners'),
  get(`${project}/epochs`, () => import('./projects/epochs.ts'), 'listProjectEpochs'),
  get(`${project}/rounds`, () => import('./rounds/list.ts'), 'listProjectRounds'),
  get(`${project}/archives`, () => import('./projects/archives.ts'), 'listArchives'),
  get(`${project}/archives/{epoch}`, () => import('./projects/archives.ts'), 'downloadArchive'),
  post(`${project}/compatibility`, () => import('./projects/compatibility.ts'), 'checkProjectCompatibility'),
  get(`${project}/reviews`, () => import('./projects/reviews.ts'), 'listReviews'),
  put(`${project}/reviews`, () => import('./projects/reviews.ts'), 'putReview'),
  del(`${project}/reviews`, () => import('./projects/reviews.ts'), 'deleteReview'),
  post(`${project}/reports`, () => import('./projects/reports.ts'), 'reportProject'),
  get(`${project}/announcements`, () => import('./projects/announcements.ts'), 'listAnnouncements'),
  get('/v1/collections', () => import('./collections/collections.ts'), 'listCollections'),
  get('/v1/collections/{collection_id}', () => import('./collections/collections.ts'), 'getCollection'),
  post(`${project}/reviews/{review_id}/helpful`, () => import('./projects/reviews.ts'), 'voteHelpful'),
  post('/v1/devices/binding-message', () => import('./devices/bindings.ts'), 'createBindingMessage'),
  post('/v1/devices/bind', () => import('./devices/bindings.ts'), 'bindDevice'),
  post('/v1/devices/unbind', () => import('./devices/bindings.ts'), 'unbindDevice'),
  get('/v1/bindings/{binding_hash}', () => import('./devices/bindings.ts'), 'getBinding'),
  get('/v1/me/devices', () => import('./devices/device.ts'), 'listDevices'),
  get('/v1/devices/{node_id}', () => import('./devices/device.ts'), 'getDevice'),
  get('/v1/devices/{node_id}/work', () => import('./devices/work.ts'), 'getDeviceWork'),
  patch('/v1/devices/{node_id}', () => import('./devices/device.ts'), 'updateDevice'),
  put('/v1/devices/{node_id}/profile', () => import('./devices/device.ts'), 'putDeviceProfile'),
  get('/v1/me/device-groups', () => import('./devices/groups.ts'), 'listDeviceGroups'),
  post('/v1/me/device-groups', () => import('./devices/groups.ts'), 'createDeviceGroup'),
  put('/v1/me/device-groups/{group_id}', () => import('./devices/groups.ts'), 'putDeviceGroup'),
  del('/v1/me/device-groups/{group_id}', () => import('./devices/groups.ts'), 'deleteDeviceGroup'),
  get('/v1/benchmarks/current', () => import('./benchmarks/current.ts'), 'getBenchmarkSuite'),
  post('/v1/subscriptions', () => import('./subscriptions/create.ts'), 'createSubscription'),
  post('/v1/subscriptions/batch', () => import('./subscriptions/batch.ts'), 'createSubscriptions'),
  post('/v1/subscriptions/batch/bond', () => import('./subscriptions/bond-batch.ts'), 'bondBatch'),
  get('/v1/me/subscriptions', () => import('./subscriptions/list.ts'), 'listSubscriptions'),
  get('/v1/me/collateral', () => import('./subscriptions/collateral.ts'), 'getCollateral'),
  get(subscription, () => import('./subscriptions/get.ts'), 'getSubscription'),
  get(`${subscription}/diagnosis`, () => import('./subscriptions/diagnosis.ts'), 'getDiagnosis'),
  post(`${subscription}/bond-payload`, () => import('./subscriptions/bond.ts'), 'getBondPayload'),
  post(`${subscription}/bond`, () => import('./subscriptions/bond.ts'), 'bond'),
  post(`${subscription}/payout`, () => import('./subscriptions/payout.ts'), 'setPayout'),
  post(`${subscription}/pause`, () => import('./subscriptions/pause.ts'), 'pauseSubscription'),
  post(`${subscription}/resume`, () => import('./subscriptions/pause.ts'), 'resumeSubscription'),
  post(`${subscription}/unbond`, () => import('./subscriptions/unbond.ts'), 'unbond'),
  post(`${subscription}/withdraw`, () => import('./subscriptions/unbond.ts'), 'withdraw'),
  post('/v1/slashes', () => import('./slashes/create.ts'), 'createSlash'),
  get('/v1/slashes/{evidence_hash}', () => import('./slashes/get.ts'), 'getSlash'),
  post('/v1/slashes/{evidence_hash}/disputes', () => import('./slashes/dispute.ts'), 'disputeSlash'),
  get('/v1/me/slashes', () => import('./slashes/list.ts'), 'listOwnSlashes'),
  get('/v1/explorer/slashes', () => import('./slashes/list.ts'), 'listSlashes'),
  get('/v1/me/alerts', () => import('./account/alerts.ts'), 'listAlerts'),
  get('/v1/me/leases', () => import('./work/leases.ts'), 'listLeases'),
  get('/v1/me/proofs', () => import('./work/proofs.ts'), 'listProofs'),
  get('/v1/me/proofs/stats', () => import('./work/proof-stats.ts'), 'getProofStats'),
  get('/v1/proofs/{proof_id}', () => import('./work/proofs.ts'), 'getProof'),
  get('/v1/me/claims', () => import('./account/claims.ts'), 'listClaims'),
  get('/v1/me/earnings', () => import('./earnings/sums.ts'), 'getEarnings'),
  get('/v1/me/earnings/epochs', () => import('./earnings/payouts.ts'), 'listEarnedEpochs'),
  get('/v1/me/withdrawals', () => import('./earnings/withdrawals.ts'), 'listWithdrawals'),
  post('/v1/me/withdrawals/claims', () => import('./earnings/withdrawals.ts'), 'claimPayouts'),
  get('/v1/faucet', () => import('./faucet/get.ts'), 'getFaucet'),
  post('/v1/faucet/drip', () => import('./faucet/drip.ts'), 'drip'),
  post('/v1/nodes/register', () => import('./nodes/register.ts'), 'registerNode'),
  get('/v1/relay', () => import('./relay/connect.ts'), 'connectRelay'),
  post('/v1/nodes/heartbeat', () => import('./nodes/heartbeat.ts'), 'heartbeat'),
  get(nodeSet, () => import('./nodes/committee-sets.ts'), 'getNodeCommitteeSet'),
  post(nodeSet, () => import('./nodes/committee-sets.ts'), 'attestCommitteeSet'),
  post('/v1/nodes/epoch-receipts', () => import('./nodes/epoch-receipts.ts'), 'submitEpochReceipt'),
  get('/v1/explorer/stats', () => import('./explorer/stats.ts'), 'getExplorerStats'),
  get('/v1/explorer/finality', () => import('./explorer/finality.ts'), 'getFinality'),
  get('/v1/explorer/search', () => import('./explorer/search.ts'), 'search'),
  get('/v1/explorer/rounds', () => import('./rounds/list.ts'), 'listRounds'),
  get('/v1/explorer/rounds/{round_id}', () => import('./rounds/get.ts'), 'getRound'),
  get('/v1/explorer/receipts/{receipt_hash}', () => import('./explorer/receipts.ts'), 'getReceipt'),
  get('/v1/explorer/epochs', () => import('./explorer/epochs.ts'), 'listAllEpochs'),
  get('/v1/explorer/epochs/{project_id}/{epoch}', () => import('./explorer/epochs.ts'), 'getEpoch'),
  post(`${developer}/enrollment`, () => import('./admin/developers.ts'), 'decideEnrollment'),
  post(`${developer}/verification`, () => import('./admin/developers.ts'), 'decideVerification'),
  get('/admin/v1/nodes', () => import('./admin/nodes.ts'), 'listNodes'),
  post('/admin/v1/nodes/{node_id}/approve', () => import('./admin/nodes.ts'), 'approveNode'),
  post('/admin/v1/nodes/{node_id}/revoke', () => import('./admin/nodes.ts'), 'revokeNode'),
  post('/admin/v1/validators/genesis', () => import('./admin/validators.ts'), 'beginValidators'),
  post('/admin/v1/validators/generations', () => import('./admin/validators.ts'), 'changeValidators'),
  get('/admin/v1/validators/pending', () => import('./admin/validators.ts'), 'getPendingValidators'),
  post('/admin/v1/devices/{node_id}/ban', () => import('./admin/devices.ts'), 'banDevice'),
  put('/admin/v1/faucet', () => import('./admin/faucet.ts'), 'putFaucet'),
  post('/admin/v1/projects/{project_id}/review', () => import('./admin/projects.ts'), 'reviewProject'),
  get('/admin/v1/reports', () => import('./projects/reports.ts'), 'listReports'),
  put(collection, () => import('./collections/collections.ts'), 'putCollection'),
  del(collection, () => import('./collections/collections.ts'), 'deleteCollection'),
  get('/admin/v1/review-queue', () => import('./admin/projects.ts'), 'listReviewQueue'),
  post('/admin/v1/slashes/{evidence_hash}/resolve', () => import('./admin/slashes.ts'), 'resolveSlash'),
  post('/admin/v1/epochs/{project_id}/{epoch}/veto', () => import('./admin/settlement.ts'), 'vetoEpoch'),
  post('/admin/v1/epochs/{project_id}/{epoch}/reopen', () => import('./admin/settlement.ts'), 'reopenEpoch'),
  post('/admin/v1/settlement/pause', () => import('./admin/settlement.ts'), 'pauseSettlement'),
  post('/admin/v1/settlement/unpause', () => import('./admin/settlement.ts'), 'unpauseSettlement'),
  get('/admin/v1/dead-letters', () => import('./admin/dead-letters.ts'), 'listDeadLetters'),
  post(`${deadLetter}/resend`, () => import('./admin/dead-letters.ts'), 'resendDeadLetter'),
  post(`${deadLetter}/close`, () => import('./admin/dead-letters.ts'), 'closeDeadLetter'),
  get('/admin/v1/relayer', () => import('./admin/relayer.ts'), 'getRelayer'),
  get('/admin/v1/metrics', () => import('./admin/metrics.ts'), 'getMetrics'),
  post('/admin/v1/reindex', () => import('./admin/reindex.ts'), 'reindex'),
  post('/admin/v1/rounds/rebuild', () => import('./admin/rounds.ts'), 'rebuild'),
  post('/admin/v1/objects/dump', () => import('./admin/objects.ts'), 'dump'),
  post('/admin/v1/objects/dumped', () => import('./admin/objects.ts'), 'noteBackup'),
  post('/admin/v1/objects/load', () => import('./admin/objects.ts'), 'load'),
  post('/admin/v1/objects/resume', () => import('./admin/objects.ts'), 'resume'),
  post('/admin/v1/objects/compare', () => import('./admin/objects.ts'), 'compare'),
  get('/admin/v1/audit-log', () => import('./admin/audit-log.ts'), 'listAuditLog'),
  get('/v1/committees/{project_id}/{epoch}', () => import('./committees/set.ts'), 'getCommitteeSet'),
  get('/v1/committees/{project_id}/{epoch}/{seq}', () => import('./committees/draw.ts'), 'getCommittee'),
  get('/v1/beacons/{epoch_secs}/{epoch}', () => import('./committees/beacon.ts'), 'getBeacon'),
  get('/v1/openapi.json', () => import('./reference/openapi.ts'), 'getOpenApi'),
  get('/docs', () => import('./reference/docs.ts'), 'getDocs'),
]

/** Pages and the files they load; answered as endpoints are, and no part of the reference. */
export const pageFiles: readonly RouteEntry[] = [
  get('/docs.md', () => import('./reference/docs.ts'), 'getDocsMarkdown'),
  get('/docs/{page}', () => import('./reference/docs.ts'), 'getDocsPage'),
  get('/docs/{folder}/{page}', () => import('./reference/docs.ts'), 'getDocsFolderPage'),
  get('/llms.txt', () => import('./reference/docs.ts'), 'getOverviewForModels'),
  get('/llms-full.txt', () => import('./reference/docs.ts'), 'getAllForModels'),
  ...consolePaths.map(consolePage),
  get('/_app/immutable/{folder}/{file}', () => import('./console/page.ts'), 'getConsoleFile'),
  get('/_app/version.json', () => import('./console/page.ts'), 'getConsoleVersion'),
]

export const loadRoutes = (): Promise<Route[]> => Promise.all(routes.map(({ load }) => load()))
