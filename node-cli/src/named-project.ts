import { isBytes32 } from '../../protocol/encoding/index.ts'
import { isSlug } from '../../protocol/identity/index.ts'
import { CliError, UsageError } from './cli/errors.ts'
import { type HubClient, HubError } from './serve/hub/index.ts'
import { Members } from './serve/hub/members.ts'

/** An id in lower case; null if none is given. @throws {@link UsageError} */
export function idOf(argument: string, text: string | undefined): string | null {
  const id = text?.toLowerCase()
  if (id !== undefined && !isBytes32(id))
    throw new UsageError(`${argument} must be an id of 0x and 64 hex digits, not ${text}`)
  return id ?? null
}

/** The slug or id that `--project` gives, not yet checked by a hub. @throws {@link UsageError} */
export const readProject = (text: string | undefined): string | null =>
  text !== undefined && isSlug(text) ? text : idOf('--project', text)

/** The id of the project. @throws {@link CliError} in the words of the hub where it knows none of that slug, or several. */
export async function projectIdOf(client: HubClient, project: string | null): Promise<string | null> {
  if (project === null || isBytes32(project)) return project
  try {
    return await client.call({ method: 'GET', target: `/v1/projects/${project}/manifest` }, (answer) =>
      new Members(answer).get('project_id', isBytes32, 'a project id'),
    )
  } catch (error) {
    if (error instanceof HubError && error.status === 404)
      throw new CliError('unknown_project', error.message)
    throw error
  }
}
