import { keptNodectl } from '../../node-cli/kept-build.ts'
import { packBuild } from './earlier-build.ts'

/** Keeps the build of the nodectl of these sources as the earlier one: before a version of it is published. */
packBuild(await keptNodectl())
