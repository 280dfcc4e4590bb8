-- What a lane has to reach. `recorded` is a number written down; it becomes `measured` only from a run on the device.

INSERT INTO floor (name, metric, value, state, note) VALUES
('cudaFP16CosineMin', 'cosine', 0.997, 'recorded', 'fp16 products; recorded from earlier work, not measured on a device of ours yet'),
('cudaQ8CosineMin', 'cosine', 0.999, 'recorded', 'Q8_0 products; recorded from earlier work, not measured on a device of ours yet'),
('cudaQ4KCosineMin', 'cosine', 0.995, 'recorded', 'Q4_K products; recorded from earlier work, not measured on a device of ours yet'),
('cudaFlashAttnCosineMin', 'cosine', 0.999, 'recorded', 'fused attention; recorded from earlier work, not measured on a device of ours yet'),
('cudaDsaSparseAttnCosineMin', 'cosine', 0.999, 'recorded', 'sparse attention; recorded from earlier work, not measured on a device of ours yet'),
('cudaAWQCosineMin', 'cosine', 0.995, 'recorded', 'the bar AWQ states against an FP32 baseline; to be tightened by the first run on a device');
