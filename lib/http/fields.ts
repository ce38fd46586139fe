import { z } from 'zod'

// Shapes that every group shares.

export const Id = z.uuid().describe('UUIDv7.')
export const Time = z.iso
  .datetime({ precision: 3 })
  .describe('RFC 3339, UTC, with milliseconds.')
  .meta({ example: '2026-11-21T09:30:00.000Z' })
export const Email = z.email().max(320)

/** A short name: 1 to 200 characters. */
export const Name = z.string().trim().min(1).max(200)

export function idParams<K extends string>(name: K, what: string) {
  return z.object({ [name]: z.uuid().describe(`Id of the ${what}.`) } as Record<K, z.ZodUUID>)
}
