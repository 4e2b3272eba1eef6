/** What hub and miners say over the relay WebSocket (section 27). */
export * from './close-codes.ts'
export { FrameError, type FrameLimits } from './frame-reader.ts'
export * from './frames.ts'
export * from './hub-frames.ts'
export * from './limits.ts'
export * from './node-frames.ts'
export * from './offer-id.ts'
export * from './versions.ts'
