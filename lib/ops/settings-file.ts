import { parseArgs } from 'node:util'

/**
 * Return which environment of wrangler.toml the options `--cloudflare --env <name>` choose: an empty name for
 * its top, and undefined for Node. Throw for any other option.
 */
export function readEnvironment(): string | undefined {
  const { cloudflare, env } = parseArgs({
    options: { cloudflare: { type: 'boolean' }, env: { type: 'string', default: '' } },
  }).values
  if (env && !cloudflare) throw new Error('`--env` is of a Worker: add `--cloudflare`.')
  return cloudflare ? env : undefined
}

/** Return the file with the settings of an environment of wrangler.toml. */
export const settingsFileOf = (environment: string) => `.dev.vars.${environment || 'production'}`
