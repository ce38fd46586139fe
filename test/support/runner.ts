import type { Service } from './app.ts'
import { expectStatus } from './expect-status.ts'
import type { Person } from './people.ts'

/** Return the body that connects an account to the local Tactical RMM emulator. */
export const runnerBody = ({ localOrigin }: Pick<Service, 'localOrigin'>) => ({
  provider: 'tactical_rmm' as const,
  base_url: `${localOrigin}/tactical-rmm`,
  api_key: 'demo',
})

/** The machines of the emulator. */
export const agentIds = {
  /** SRV-PRINT-01 of Northwind. */
  online: 'hYqWbTzKpLxRnVcMdFgJsAoEuIiQwZtBkDyNvXrC',
  /** web-02 of Contoso & Sons. */
  ofOtherClient: 'kLmNoPqRsTuVwXyZaBcDeFgHiJkLmNoPqRsTuVwX',
  withoutAnswer: 'cUtAnSwErCuTaNsWeRcUtAnSwErCuTaNsWeRcUtA',
  offline: 'zYxWvUtSrQpOnMlKjIhGfEdCbAzYxWvUtSrQpOnM',
}

/** Connect an account to the local emulator. */
export async function connectRunner(service: Pick<Service, 'localOrigin'>, admin: Person): Promise<void> {
  expectStatus(await admin.call('PUT', '/integrations/runner', runnerBody(service)), 200)
}
