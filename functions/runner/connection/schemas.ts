import * as z from 'zod'
import { Time } from '#http/fields.ts'
import { runnerProviders } from '#vendors/runner/runner.ts'

const Provider = z.enum(runnerProviders).meta({ id: 'RunnerProvider' }).describe('The runner: Tactical RMM.')

export const RunnerConnection = z
  .strictObject({
    provider: Provider,
    base_url: z
      .string()
      .describe('Base URL of the API of the runner.')
      .meta({ example: 'https://api.rmm.example.com' }),
    last_checked_at: Time.nullable().describe('When the key was last checked.'),
    last_check_error: z.string().nullable().describe('Why that check failed; null when it succeeded.'),
    created_at: Time,
    updated_at: Time.describe('When the connection was last changed.'),
  })
  .meta({ id: 'RunnerConnectionResponse' })
export type RunnerConnection = z.infer<typeof RunnerConnection>

export const RunnerConnectionPut = z
  .strictObject({
    provider: Provider,
    base_url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      // Stricter than ApiAddress: an empty query or fragment would take the path of each call too.
      .refine((url) => !/[?#]/.test(url), 'must have no query and no fragment')
      .transform((url) => url.replace(/(?<!\/)\/+$/, ''))
      .describe('Base URL of the API of the runner.')
      .meta({ example: 'https://api.rmm.example.com' }),
    api_key: z
      .string()
      .min(1)
      .max(1000)
      .regex(/^[\x21-\x7e]+$/, 'must be a key of the runner')
      .optional()
      .describe(
        'The API key, whose role lists clients, agents and their history, runs scripts and manages them. It is never returned.',
      )
      .meta({ example: 'D4J5KLQ2ZV7XW9YB1C3E6F8G0H2M4N5P' }),
  })
  .meta({ id: 'RunnerConnectionPut' })
export type RunnerConnectionPut = z.infer<typeof RunnerConnectionPut>

export const RunnerTest = z
  .strictObject({
    success: z.boolean().describe('Whether the runner accepted the key.'),
    message: z
      .string()
      .describe('The result, and what could not be read, as sentences.')
      .meta({ example: 'The runner accepted the key' }),
  })
  .meta({ id: 'RunnerConnectionTest' })
