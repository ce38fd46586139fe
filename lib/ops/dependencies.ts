import { stat } from 'node:fs/promises'
import { listPings } from '#http/health.ts'
import { createNodeServices } from '#platform/node/services.ts'
import type { NodeConfig } from '#platform/node/settings.ts'
import { withTimeout } from '#vendors/net/send-result.ts'
import type { Finding } from './checks.ts'
import { find } from './find.ts'

const timeoutMs = 10_000

/** What `/ready` asks, with the settings that say where it is. */
const remedies: Record<string, string> = {
  redis: 'Correct REDIS_URL, and look whether Redis runs.',
  queue: 'Correct QSTASH_URL and QSTASH_TOKEN; without them, DATABASE_PLATFORM_URL.',
  mail: 'Correct RESEND_API_KEY and RESEND_BASE_URL, or set SMTP_URL instead.',
  ai: 'Correct OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL.',
  ai_fallback: 'Correct AI_FALLBACK_API_KEY, AI_FALLBACK_BASE_URL and AI_FALLBACK_MODEL.',
  hub: 'Correct REDIS_URL, and look whether Redis runs.',
  objects:
    'Correct OBJECTS_DIR and its owner, or S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
  images: 'Install the packages of this platform: `npm ci` in the folder.',
}

/** Open each dependency as the service does, and try it, but for the database and a mail server of SMTP. */
export async function checkDependencies(config: NodeConfig): Promise<Finding[]> {
  const node = createNodeServices(config, { log: () => {} })
  try {
    await node.waitUntilReady()
    const { database: _, ...pings } = listPings(node.services)
    if (config.SMTP_URL) delete (pings as { mail?: unknown }).mail
    return await Promise.all(
      Object.entries(pings).flatMap(([name, ping]) =>
        ping === 'in_process'
          ? []
          : [
              find(`the service reaches its ${name.replaceAll('_', ' ')}`, remedies[name] ?? '', async () => {
                if (name === 'objects') await requireFolder(config)
                await withTimeout(timeoutMs, ping().catch(ignoreMissingQueue))
                return []
              }),
            ],
      ),
    )
  } finally {
    await node.close()
  }
}

/** A folder that is missing would be made here, by another user than that of the service. */
async function requireFolder({ S3_ENDPOINT, OBJECTS_DIR = '' }: NodeConfig): Promise<void> {
  if (S3_ENDPOINT) return
  const entry = await stat(OBJECTS_DIR).catch(() => null)
  if (!entry?.isDirectory()) throw new Error(`OBJECTS_DIR names no folder: make it with \`mkdir\``)
}

/** The first start of the service makes the tables of the queue. */
function ignoreMissingQueue(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== '42P01' && code !== '3F000') throw error
}
