import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNode } from '#functions/node.ts'
import { parseNodeConfig } from '#platform/node/settings.ts'
import type { RunningService } from './running-service.ts'
import { builtAssets } from './worker.ts'

interface NodeOptions {
  settings: Record<string, string>
  /** Folder for uploads, by default a temporary one that is removed when the service stops. */
  objectsDir?: string | undefined
  onLog(line: string): void
  onRoundTrip(): void
}

/** Start the Node entry in this process. */
export async function startNodeProcess({
  settings,
  objectsDir,
  onLog,
  onRoundTrip,
}: NodeOptions): Promise<RunningService> {
  const folder = objectsDir ?? mkdtempSync(join(tmpdir(), 'flow-objects-'))
  const removeFolder = () => {
    if (!objectsDir) rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', removeFolder)
  const config = parseNodeConfig({ OBJECTS_DIR: folder, ASSETS_DIR: builtAssets, ...settings })
  const service = await startNode(config, { log: (line) => onLog(JSON.stringify(line)), onRoundTrip })
  return {
    fetch: service.fetch,
    services: service.services,
    finishEffects: service.finishEffects,
    runCron: service.runCron,
    countSubscribers: async (accountId) => service.countStreams(accountId),
    async dispose() {
      await service.close()
      process.off('exit', removeFolder)
      removeFolder()
    },
  }
}
