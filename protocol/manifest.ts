/**
 * Section 6: what a manifest is, its rules, its signed envelope and how versions follow each other. This file is the
 * section's front door.
 */
export * from './manifest-envelope.ts'
export * from './manifest-validation.ts'
export * from './manifest-versions.ts'
export * from './project-manifest.ts'
