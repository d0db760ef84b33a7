"""Steps of the Mirror-BERT workflow: one package per stage, one thin command per rule."""
