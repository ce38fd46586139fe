# The service on Node. `docker build -t support-flow .`; compose.yaml runs it with everything that it needs.
FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
# No scripts: the only tool that the build needs from these packages is esbuild, which runs without its own.
RUN npm ci --ignore-scripts
COPY . .
# Without npm, which would use the Node among the packages that its skipped script downloads.
RUN node lib/local/build/build.ts --node

FROM node:24-bookworm-slim
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=1 MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=build /source/dist/node ./
RUN mkdir objects && chown node:node objects
USER node
VOLUME /app/objects
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:8787/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "serve.js"]
