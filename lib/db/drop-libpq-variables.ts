/**
 * Drop the variables of libpq, which `pg` would take for what a connection string leaves out: the port, TLS, and
 * `PGOPTIONS` with any setting of the session. They may belong to another program of the machine. Only
 * PGPASSWORD stays, with which the operator's commands connect:
 * https://www.postgresql.org/docs/18/libpq-envars.html
 */
export function dropLibpqVariables(): void {
  for (const name of Object.keys(process.env))
    if (name.startsWith('PG') && name !== 'PGPASSWORD') delete process.env[name]
}
