import { bodyOf, client } from '../../../test/client.ts'
import { createDeveloper, submitProject, uploadModule } from '../../../test/project.ts'
import { setListingStatus } from '../../../test/tables.ts'

/** A developer with a module, whose projects get into the list without a review. */
export async function createPublisher() {
  const developer = await createDeveloper()
  const worker = await uploadModule(developer)
  const listed = async (change: Parameters<typeof submitProject>[1] = {}, by = developer) => {
    const project = await submitProject(by, { worker, ...change })
    await setListingStatus(project.project_id, 'listed')
    return project
  }
  return { developer, worker, listed }
}

export interface ProjectPage {
  items: { project_id: string; name: string; slug: string }[]
  next_cursor: string | null
}

export const findProjects = (query: string, caller = client()) =>
  bodyOf<ProjectPage>(caller.get(`/v1/projects?${query}`))
