import type pg from 'pg'
import { parseOwnerUrl } from '#config.ts'
import { withConnection } from '#db/migrate/connection.ts'
import { migrationsFolder, plan } from '#db/migrate.ts'
import { createFiles } from '#platform/node/files.ts'
import { type NodeConfig, parseNodeConfig } from '#platform/node/settings.ts'
import { describeMailError, smtpMail } from '#vendors/mail/smtp.ts'
import { type Check, checks, type Finding } from './checks.ts'
import { diagnoseDeployment, listWorkerSecrets, readDeployedSettings } from './cloudflare.ts'
import { checkConnections, checkOwner } from './connections.ts'
import { checkDependencies } from './dependencies.ts'
import { checkSealedValues } from './sealed-values.ts'
import { readEnvironment } from './settings-file.ts'

/** Run a check. A statement that fails is a problem too. */
export async function runCheck(
  client: Pick<pg.ClientBase, 'query'>,
  { name, remedy, isWarning, isAboutWork, sql }: Check,
): Promise<Finding> {
  const problems = await client.query<{ problem: string }>(sql).then(
    ({ rows }) => rows.map(({ problem }) => problem),
    (error: Error) => [`The check failed: ${error.message}`],
  )
  return { name, remedy, isWarning: isWarning === true, isAboutWork, problems }
}

/**
 * Check the database at `ownerUrl`, in read-only statements. The role must be its owner, which sees every
 * row.
 */
export async function diagnose(ownerUrl: string, folder = migrationsFolder): Promise<Finding[]> {
  const pendingMigrations = await plan(ownerUrl, folder).catch((error: Error) => [error.message])
  const migrations = {
    name: 'every migration is applied',
    remedy: 'Run `npm run migrate`.',
    isWarning: false,
    problems: pendingMigrations,
  }
  const findings: Finding[] = [migrations]
  await withConnection({ connectionString: ownerUrl }, async (client) => {
    await client.query('set default_transaction_read_only = on')
    for (const check of checks) findings.push(await runCheck(client, check))
  })
  return findings
}

/** Name the providers that are not set. The service starts without them, so they are warnings. */
export function checkProviders({ SMTP_URL, RESEND_API_KEY, OPENAI_API_KEY }: NodeJS.ProcessEnv): Finding[] {
  const missing = 'operations that need one answer 503'
  return [
    {
      name: 'a mail provider is set',
      remedy:
        'Set SMTP_URL or RESEND_API_KEY. `npm run admin` verifies the address of one person without it.',
      isWarning: true,
      problems: SMTP_URL || RESEND_API_KEY ? [] : [`no e-mail is sent, and ${missing}`],
    },
    {
      name: 'an AI provider is set',
      remedy: 'Set OPENAI_API_KEY, unless the service should have no AI.',
      isWarning: true,
      problems: OPENAI_API_KEY ? [] : [missing],
    },
  ]
}

/** Sign in at the mail server, if one is set. */
export async function checkMail({ SMTP_URL, MAIL_FROM = '' }: NodeJS.ProcessEnv): Promise<Finding[]> {
  if (!SMTP_URL) return []
  const remedy =
    'Correct SMTP_URL. A certificate of your own belongs into the file that NODE_EXTRA_CA_CERTS names.'
  const problems = await smtpMail({ url: SMTP_URL, from: MAIL_FROM })
    .signIn()
    .then(
      () => [],
      async (error: unknown) => [(await describeMailError(error)).error],
    )
  return [{ name: 'the mail server accepts the sign-in', remedy, isWarning: false, problems }]
}

/** Read a file as the service does: some containers let no process start another. */
export async function checkFiles(): Promise<Finding[]> {
  let reason = ''
  const files = createFiles(({ error }) => {
    reason = `: ${error}`
  })
  const problems = await files.read('mermaid', 'graph TD\na', 'doctor', undefined).then(
    () => [],
    (error: Error) => [`${error.message}${reason}`],
  )
  files.close()
  const remedy = 'Let the service start `/bin/sh` and Node: see "Files of strangers" in functions/README.md.'
  return [{ name: 'a process for files of strangers starts', remedy, isWarning: false, problems }]
}

const maxShown = 10

/** Return the lines that tell an operator about a finding. */
export function describeFinding({ name, remedy, isWarning, problems }: Finding): string[] {
  if (problems.length === 0) return [`ok       ${name}`]
  const shown = problems.slice(0, maxShown).map((problem) => `           ${problem}`)
  const more = problems.length > maxShown ? [`           and ${problems.length - maxShown} more`] : []
  return [`${isWarning ? 'warning' : 'PROBLEM'}  ${name}: no`, ...shown, ...more, `           ${remedy}`]
}

/** Parse the settings as the service does. */
function checkSettings(env: NodeJS.ProcessEnv): { config: NodeConfig | null; finding: Finding } {
  const finding = { name: 'every setting is valid', remedy: 'Correct it in `.env`.', isWarning: false }
  try {
    return { config: parseNodeConfig(env), finding: { ...finding, problems: [] } }
  } catch (error) {
    return { config: null, finding: { ...finding, problems: [(error as Error).message] } }
  }
}

/**
 * Check what the service on Node uses: its settings, each connection, each dependency, and the database as its
 * owner, who sees every row. It changes nothing.
 */
export async function diagnoseNode(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { DATABASE_URL, DATABASE_PLATFORM_URL } = env
  const ownerUrl = parseOwnerUrl(env)
  const { config, finding } = checkSettings(env)
  const owner = await checkOwner(ownerUrl)
  const isOwner = owner.problems.length === 0
  return [
    finding,
    owner,
    ...(await checkConnections({ DATABASE_URL, DATABASE_PLATFORM_URL }, config)),
    ...(isOwner ? await diagnose(ownerUrl) : []),
    ...(isOwner && config ? [await checkSealedValues(ownerUrl, config.CREDENTIALS_KEY)] : []),
    ...(config ? await checkDependencies(config) : []),
    ...checkProviders(env),
    ...(await checkMail(env)),
    ...(await checkFiles()),
  ]
}

/** Print findings. Return the exit code: 1 if there is a problem. */
export function report(findings: readonly Finding[], print: (line: string) => void): number {
  for (const finding of findings) for (const line of describeFinding(finding)) print(line)
  return findings.some(({ isWarning, problems }) => !isWarning && problems.length > 0) ? 1 : 0
}

/** With `--cloudflare`, check a deployed Worker; otherwise the service on Node. */
async function main(): Promise<void> {
  const environment = readEnvironment()
  const findings =
    environment === undefined
      ? await diagnoseNode(process.env)
      : await diagnoseDeployment({
          environment,
          settings: await readDeployedSettings(process.cwd(), environment),
          listSecrets: () => listWorkerSecrets(environment),
        })
  process.exitCode = report(findings, console.log)
}

if (import.meta.main)
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  })
