import { startSharedService } from './app.ts'

await startSharedService()
