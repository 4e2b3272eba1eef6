import { unwrap } from './answers.ts'
import type { HubClient } from './connect.ts'

/** What a project pays, its epochs and its vault. */
export const readEconomics = (client: HubClient, projectId: string) =>
  unwrap(client.GET('/v1/projects/{project_id}/economics', { params: { path: { project_id: projectId } } }))
