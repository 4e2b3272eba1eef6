/** Writes the OpenAPI document of the routes, which the Worker serves as one of its assets: the first part of `npm run openapi`. */
import { writeFileSync } from 'node:fs'
import { openApiText } from '../openapi/build.ts'
import { loadRoutes } from '../routes/index.ts'

writeFileSync('public/openapi.json', openApiText(await loadRoutes()))
