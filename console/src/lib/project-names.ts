import { hub } from './hub.ts'

/** The names of listed projects by their ids: one call for a page, and the next ten minutes. */
export const projectNames = { queryKey: ['project names'], queryFn: hub.projectNames, staleTime: 600_000 }
