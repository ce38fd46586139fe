import type * as z from 'zod'
import { type Config, parseSettings, settings } from '#config.ts'
import { HostPort, Token, Url } from '#rules/settings/values.ts'

/** The settings that only Cloudflare Workers needs. */
export const cloudflareSettings = {
  NEON_HTTP_ENDPOINT: Url.optional().describe("Address of SQL over HTTP, if not Neon's own."),
  NEON_WS_PROXY: HostPort.optional().describe("host:port/path of the WebSocket proxy, if not Neon's own."),
  UPSTASH_REDIS_REST_URL: Url.describe('Redis for rate limits and the cache.'),
  UPSTASH_REDIS_REST_TOKEN: Token.describe('Token of the Redis database.'),
  QSTASH_URL: Url.default('https://qstash.upstash.io').describe('Address of the queue.'),
  QSTASH_TOKEN: Token.describe('Token that publishes jobs.'),
  QSTASH_CURRENT_SIGNING_KEY: Token.describe('Key that verifies jobs, which are signed for PUBLIC_BASE_URL.'),
  QSTASH_NEXT_SIGNING_KEY: Token.describe('Second key that verifies jobs, for rotation.'),
}

export type CloudflareConfig = Config & z.infer<z.ZodObject<typeof cloudflareSettings>>

/**
 * Parse the settings of the Worker. Throw one error that names every missing or wrong setting, without any
 * value.
 */
export function parseCloudflareConfig(env: Record<string, unknown>): CloudflareConfig {
  return parseSettings({ ...settings, ...cloudflareSettings }, env)
}
