import { parseArgs } from 'node:util'
import { escalateAiSession } from './chapters/ai-escalation.ts'
import { waitForApproval } from './chapters/approvals.ts'
import { writeFlows } from './chapters/authoring.ts'
import { subscribe } from './chapters/billing.ts'
import { deleteAndRestore } from './chapters/deletion.ts'
import { exportAccount } from './chapters/export-account.ts'
import { inviteColleagues } from './chapters/invite.ts'
import { importArticle } from './chapters/knowledge-import.ts'
import { planOnCall } from './chapters/on-call.ts'
import { pickUpEscalation } from './chapters/pickup.ts'
import { proveFlow } from './chapters/prove-flows.ts'
import { reachByPhone } from './chapters/reach-by-phone.ts'
import { registerAndNotify } from './chapters/register-and-notify.ts'
import { runFlowOnTicket } from './chapters/ticket-and-flow.ts'
import { uploadLogo } from './chapters/upload-and-branding.ts'
import { readWeeklyReport } from './chapters/weekly-report.ts'
import { type Addresses, createTour, type Print, type Tour } from './client.ts'
import { restoreDashboard } from './dashboard.ts'
import { TourError } from './expectations.ts'
import { playSmokeTest } from './smoke.ts'

/**
 * Run all chapters against a running service. Throw a TourError at the first unexpected response.
 * Clear all faults and reset the clock before and after, because an interrupted run may have left some.
 */
export async function playTour(addresses: Addresses, print: Print, timeoutMs?: number): Promise<void> {
  await requireOkResponse(`${addresses.api}/health`)
  await requireOkResponse(`${addresses.dashboard}/desk/clock`)
  await restoreDashboard(addresses)
  try {
    await runChapters(createTour(addresses, print, timeoutMs))
  } catch (error) {
    await restoreDashboard(addresses).catch(() => {})
    throw error
  }
  await restoreDashboard(addresses)
}

async function runChapters(tour: Tour): Promise<void> {
  const chapter = <T>(title: string, play: () => Promise<T>): Promise<T> => {
    tour.print(`\n${title}`)
    return play()
  }
  const admin = await chapter('1. Register and get notified', () => registerAndNotify(tour))
  const robin = await chapter('2. Invite colleagues', () => inviteColleagues(tour, admin))
  await chapter('3. Subscribe and pay late', () => subscribe(tour, admin))
  await chapter('4. Upload a logo', () => uploadLogo(tour, admin))
  const ticketId = await chapter('5. Run a flow on a ticket', () => runFlowOnTicket(tour, admin))
  await chapter('6. Ask a colleague for an approval', () => waitForApproval(tour, { admin, robin }))
  await chapter('7. Plan who is on call', () => planOnCall(tour, { admin, robin }))
  await chapter('8. Be reached by phone', () => reachByPhone(tour, { admin, robin }))
  const aiSessionId = await chapter('9. Ask the AI and escalate', () =>
    escalateAiSession(tour, { admin, robin, ticketId }),
  )
  await chapter('10. Pick up the escalation', () =>
    pickUpEscalation(tour, { admin, robin, ticketId, aiSessionId }),
  )
  await chapter('11. Write flows with the AI', () => writeFlows(tour, { admin, robin, aiSessionId }))
  await chapter('12. Export the account', () => exportAccount(tour, admin))
  await chapter('13. Import a knowledge article', () => importArticle(tour, admin, ticketId))
  await chapter('14. Read the weekly report', () => readWeeklyReport(tour, { admin, robin }))
  await chapter('15. Prove a flow', () => proveFlow(tour, admin))
  await chapter('16. Delete and restore the account', () => deleteAndRestore(tour, { admin, robin }))
}

async function requireOkResponse(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => null)
  if (!response)
    throw new TourError(`No service responds at ${url}. Start the service with \`npm start\` first.`)
  if (!response.ok)
    throw new TourError(
      `GET ${url} returned ${response.status}. Is this the address that \`npm start\` prints?`,
    )
}

/** Return the origin of an address. `npm start` prints addresses with a path. */
function parseOrigin(address: string): string {
  if (!/^https?:/.test(address) || !URL.canParse(address))
    throw new TourError(`${address} is not a URL such as http://127.0.0.1:8787.`)
  return new URL(address).origin
}

/**
 * Return the addresses of the arguments or the environment. By default, they have the ports that `npm start`
 * chooses.
 */
function readAddresses([firstArgument, secondArgument]: string[]): Addresses {
  const { API, DASHBOARD, PORT = '8787', LOCAL_PORT } = process.env
  const api = parseOrigin(firstArgument ?? API ?? `http://127.0.0.1:${PORT}`)
  const nextPort = String(Number(new URL(api).port) + 1)
  return {
    api,
    dashboard: parseOrigin(secondArgument ?? DASHBOARD ?? `http://127.0.0.1:${LOCAL_PORT ?? nextPort}`),
  }
}

/** Play the tour on this machine, or with `--against <address>` a few requests against a deployed service. */
async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { against: { type: 'string' } },
    allowPositionals: true,
  })
  if (values.against !== undefined) {
    const { READY_TOKEN: readyToken, SMOKE_API_KEY: apiKey } = process.env
    await playSmokeTest({ api: parseOrigin(values.against), readyToken, apiKey }, console.log)
    return console.log('\nThe service answers as expected.')
  }
  const startedAt = performance.now()
  const addresses = readAddresses(positionals)
  process.once('SIGINT', () => void restoreDashboard(addresses).finally(() => process.exit(130)))
  await playTour(addresses, console.log)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`\nThe tour is complete after ${seconds} s. Mails, messages and calls: ${addresses.dashboard}/`)
}

if (import.meta.main) {
  await run().catch((error: unknown) => {
    console.error(`\nThe tour failed. ${error instanceof TourError ? error.message : String(error)}`)
    process.exitCode = 1
  })
}
