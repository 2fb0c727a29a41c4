// Sends spans with OpenTelemetry's own exporter for Node: `node node_exporter.cjs KIND URL SERVICE COMPRESSION`.
const { BasicTracerProvider, BatchSpanProcessor } = require("@opentelemetry/sdk-trace-base");
const { resourceFromAttributes } = require("@opentelemetry/resources");

const [kind, url, service, compression] = process.argv.slice(2);
const { OTLPTraceExporter } = require(`@opentelemetry/exporter-trace-otlp-${kind}`);

const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({ "service.name": service }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url, compression }))],
});
const tracer = provider.getTracer("tests");
for (let n = 0; n < 30; n += 1) {
  tracer.startSpan("execute_tool look_up", { attributes: { n, "gen_ai.tool.name": "查询" } }).end();
}
provider.shutdown().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
