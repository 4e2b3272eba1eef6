/** Writes the OpenAPI document of the routes, so that the hub starts without building it: `npm run openapi`. */
import { writeFileSync } from 'node:fs'
import { openApiModule } from '../openapi/build.ts'
import { routes } from '../routes/index.ts'

writeFileSync('workers/openapi/document.generated.ts', openApiModule(routes))
