# Calls of up to eight minutes end on the old targets while a new release takes over. The default is 300.
aws elbv2 modify-target-group-attributes --target-group-arn "$TARGET_GROUP" \
  --attributes Key=deregistration_delay.timeout_seconds,Value=520
